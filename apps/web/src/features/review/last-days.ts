import { dayAt } from '@lis/contract/zoned-time.ts'

const dayMs = 86_400_000

/** From a number of days ago to today, in the laboratory's time zone. */
export const lastDays = (count: number, zone: string, now = Date.now()): { fromDate: string; toDate: string } => {
  const toDate = dayAt(now, zone)
  return { fromDate: new Date(Date.parse(toDate) - count * dayMs).toISOString().slice(0, 10), toDate }
}
