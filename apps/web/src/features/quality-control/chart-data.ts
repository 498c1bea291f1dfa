import type { QcChart } from '@lis/contract/quality-control.ts'

type Run = QcChart['runs'][number]
type Level = QcChart['levels'][number]
type State = Run['state']

/** A value in the chart of its level. */
export interface ChartPoint {
  runId: number
  at: number
  /** In SD from the mean in force at its time, which is what the lines stand for; null without a target. */
  z: number | null
  /** Where it is drawn: nothing lies beyond the edge of the chart. */
  y: number | null
  value: string
  lotId: number
  state: State
  isVoid: boolean
  isParallel: boolean
  /** The rules that it breaks. */
  rules: string[]
}

/** A vertical line through every level. */
export interface ChartEvent {
  at: number
  text: string
}

/** The range of the charts, in SD. */
export const edge = 4.2

/** The values of a level in the order of time. */
export const pointsOf = ({ points, lots, level }: Level, runs: ReadonlyMap<number, Run>): ChartPoint[] => {
  const parallel = new Set(lots.filter(({ isParallel }) => isParallel === 1).map(({ lotId }) => lotId))
  return points.flatMap(({ runId, lotId, value, z, state }) => {
    const run = runs.get(runId)
    if (!run) return []
    const number = z === null ? null : Number(z)
    return {
      runId,
      at: Date.parse(run.ranAt),
      z: number,
      y: number === null ? null : Math.max(-edge, Math.min(edge, number)),
      value,
      lotId,
      state,
      isVoid: run.isVoid === 1,
      isParallel: parallel.has(lotId),
      rules: run.isVoid === 1 ? [] : run.broken.filter(({ levels }) => levels.includes(level)).map(({ rule }) => rule),
    }
  })
}

/** Lot changes and corrective actions; a change of several levels at the same time is one. */
export const eventsOf = ({ levels, runs, actions }: QcChart): ChartEvent[] => {
  const byId = new Map(runs.map((run) => [run.id, run]))
  const found = new Map<string, ChartEvent>()
  const add = (event: ChartEvent) => found.set(`${event.at} ${event.text}`, event)
  for (const level of levels) {
    const used = pointsOf(level, byId).filter(({ isParallel, isVoid }) => !isParallel && !isVoid)
    used.forEach(({ lotId, at }, index) => {
      const before = used[index - 1]
      if (!before || before.lotId === lotId) return
      add({ at, text: `Lot ${level.lots.find((lot) => lot.lotId === lotId)?.lotNumber ?? ''}` })
    })
  }
  for (const { doneAt, action } of actions) add({ at: Date.parse(doneAt), text: shorten(action) })
  return [...found.values()].sort((one, other) => one.at - other.at)
}

const longest = 24
const shorten = (text: string) => (text.length > longest ? `${text.slice(0, longest - 1)}…` : text)

/** '+2 SD 5.48': the value of a line, with the decimals of mean and SD and one more. */
export const lineText = (sds: number, target: Level['target']): string => {
  const name = sds === 0 ? 'mean' : `${sds > 0 ? '+' : '−'}${Math.abs(sds)} SD`
  if (!target) return name
  const decimals = Math.max(decimalsOf(target.mean), decimalsOf(target.sd))
  return `${name} ${(Number(target.mean) + sds * Number(target.sd)).toFixed(Math.min(decimals, 6))}`
}
const decimalsOf = (number: string) => number.split('.')[1]?.length ?? 0

export const sdText = (z: string | number | null): string => {
  if (z === null) return '–'
  const number = Number(z)
  return `${number < 0 ? '−' : '+'}${Math.abs(number).toFixed(1)}`
}

/** What a screen reader says about the chart of a level; the table has every value. */
export const describeLevel = (level: number, points: readonly ChartPoint[]): string => {
  const counted = points.filter(({ isVoid }) => !isVoid)
  const last = counted.at(-1)
  const rejected = counted.filter(({ state }) => state === 'REJECTED').length
  const warned = counted.filter(({ state }) => state === 'WARNING').length
  return [
    `Level ${level}: ${counted.length} values`,
    `${rejected} rejected, ${warned} with a warning`,
    ...(last ? [`the last is ${last.value}, ${sdText(last.z)} SD`] : []),
  ].join('; ')
}

/** A parallel lot beside the lot in use: mean of each, and the difference in percent. */
export interface LotComparison {
  level: number
  lotNumber: string
  inUse: { n: number; mean: number } | null
  parallel: { n: number; mean: number }
  differencePct: number | null
}

export const comparisonsOf = ({ levels, runs }: QcChart): LotComparison[] => {
  const byId = new Map(runs.map((run) => [run.id, run]))
  return levels.flatMap((level) => {
    const counted = pointsOf(level, byId).filter(({ isVoid }) => !isVoid)
    const inUse = meanOf(counted.filter(({ isParallel }) => !isParallel))
    return level.lots
      .filter(({ isParallel }) => isParallel === 1)
      .flatMap(({ lotId, lotNumber }) => {
        const parallel = meanOf(counted.filter((point) => point.lotId === lotId))
        if (!parallel) return []
        const differencePct = inUse && inUse.mean !== 0 ? (100 * (parallel.mean - inUse.mean)) / inUse.mean : null
        return { level: level.level, lotNumber, inUse, parallel, differencePct }
      })
  })
}

const meanOf = (points: readonly ChartPoint[]) =>
  points.length === 0
    ? null
    : { n: points.length, mean: points.reduce((sum, { value }) => sum + Number(value), 0) / points.length }
