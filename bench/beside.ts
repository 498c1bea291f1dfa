import { measureUnderLoad, type Target, timed } from './measure.ts'

/** Another server of FHIR R4, such as Medplum, with the same work to do. */
interface OtherServer {
  url: string
  /** Without one the calls carry no authorization. */
  token?: string | undefined
}

interface OurServer {
  api: string
  headers: Record<string, string>
  ids: readonly number[]
}

/** Calls per second of both, eight at once, in the same run. */
export interface BesideRow {
  name: string
  ours: number
  beside: number
  /** How many times as many are ours. */
  ratio: number
}

const aim = 4
const perPage = 25

/** A list of 25 orders and one order by its id, on both sides in turn. */
export const measureBeside = async (
  { api, headers, ids }: OurServer,
  { url, token }: OtherServer,
  seconds: number,
): Promise<BesideRow[]> => {
  const fhir = `${url.replace(/\/+$/, '')}/fhir/R4/ServiceRequest`
  const other = (path: string): Target => ({
    url: `${fhir}${path}`,
    headers: { accept: 'application/fhir+json', ...(token && { authorization: `Bearer ${token}` }) },
  })
  const list = other(`?_count=${perPage}`)
  const calls: [name: string, ours: string, beside: Target][] = [
    [`list of ${perPage}`, `requisitions/ALL?page=1&perPage=${perPage}`, list],
    ['one by id', `requisitions/${ids[0]}`, other(`/${await firstIdOf(list)}`)],
  ]
  const rows: BesideRow[] = []
  for (const [name, path, target] of calls) {
    const pair = await measureUnderLoad({ url: `${api}/${path}`, headers }, target, Math.max(1, seconds))
    const [ours, beside] = [pair.ours.perSecond ?? 0, pair.bare.perSecond ?? 0]
    rows.push({ name, ours, beside, ratio: ours / beside })
  }
  return rows
}

interface Bundle {
  entry?: { resource?: { id?: string } }[]
}

const firstIdOf = async (list: Target): Promise<string> => {
  const { entry = [] } = JSON.parse((await timed(list)).text) as Bundle
  const [id] = entry.flatMap(({ resource }) => resource?.id ?? [])
  if (id === undefined) throw new Error(`${list.url} has no ServiceRequest: load orders there first`)
  return id
}

export const printBeside = (url: string, rows: readonly BesideRow[]) => {
  console.log(`\nbeside ${url}, calls per second, 8 at once; the aim is ${aim} times as many`)
  console.log(`${'call'.padEnd(14)}${'ours'.padStart(10)}${'beside'.padStart(10)}${'ratio'.padStart(8)}`)
  for (const { name, ours, beside, ratio } of rows)
    console.log(
      `${name.padEnd(14)}${ours.toFixed(0).padStart(10)}${beside.toFixed(0).padStart(10)}${ratio.toFixed(1).padStart(8)}`,
    )
}
