import type { Insight, InsightsInput } from '@lis/contract/reports-pages.ts'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Db } from '../../platform/db/db.ts'
import { AppError } from '../../platform/errors.ts'
import type { Services } from '../../platform/services.ts'
import { type ReportCall, type ReportDefinition, reportCallOf } from './definition.ts'
import { definitions, type ReportKind } from './definitions.ts'
import { headlines } from './headlines.ts'
import { chartOf, isLongReport, noChart, readReport } from './run.ts'
import { listOwnReports } from './service.ts'

const kindOf: Record<InsightsInput['tab'], ReportKind> = { qaReports: 'QA', summaryReports: 'SUMMARY' }
const dayMs = 86_400_000

interface InsightsCall {
  db: Db
  actor: Actor
  services: Services
}

/** Every report of a tab with its number and its chart; one that fails has an error and does not affect the others. */
export const readInsights = async ({ db, actor, services }: InsightsCall, input: InsightsInput): Promise<Insight[]> => {
  const kind = kindOf[input.tab]
  const items = await listOwnReports(db, actor, kind)
  const wanted = items.filter(({ reportCode }) => input.reportCode === undefined || reportCode === input.reportCode)
  const call = reportCallOf(actor, input)
  const isLong = await isLongReport(db, call)
  return Promise.all(
    wanted.map(async ({ reportCode, reportDesc }) => {
      const empty = { reportCode, reportDesc, headline: null, change: null, chart: noChart, isLong, failed: null }
      const definition = definitions[kind].find(({ code }) => code === reportCode)
      if (isLong || !definition) return empty
      try {
        return { ...empty, ...(await readInsight(services, definition, call)) }
      } catch (error) {
        services.log.error({ err: error, reportCode }, 'insights')
        return { ...empty, failed: error instanceof AppError ? error.message : 'It could not be read. Try again.' }
      }
    }),
  )
}

const readInsight = async (services: Services, definition: ReportDefinition, call: ReportCall) => {
  const [rows, before] = await Promise.all([
    readReport(services, definition, call),
    readReport(services, definition, periodBefore(call)),
  ])
  const headlineOf = headlines[definition.code]
  const headline = headlineOf?.(rows) ?? null
  const earlier = headlineOf?.(before).value ?? null
  const value = headline?.value ?? null
  return {
    headline,
    change:
      value === null || earlier === null || earlier === 0
        ? null
        : Math.round((1000 * (value - earlier)) / earlier) / 10,
    chart: chartOf(definition, rows),
  }
}

/** The period of the same length directly before. */
const periodBefore = (call: ReportCall): ReportCall => {
  const [from, to] = [Date.parse(call.from), Date.parse(call.to)]
  const iso = (time: number) => new Date(time).toISOString().slice(0, 10)
  return { ...call, from: iso(from - (to - from) - dayMs), to: iso(from - dayMs) }
}
