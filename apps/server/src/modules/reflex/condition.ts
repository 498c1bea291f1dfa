import type { ReflexOp } from '@lis/contract/reflex.ts'
import { compare, parseDecimal, roundTo } from '@lis/contract/results/decimal.ts'

interface Condition {
  op: ReflexOp
  value: string
}

interface FinalResult {
  result: string | null
  reportable: string | null
  interpretation: string | null
  digits: number
}

const plain = (text: string | null) => (text ?? '').trim().toLowerCase()

/** The rounded value is compared, as the report shows it. '>500' is above 500, '>=500' may be 500. */
export const meets = (
  { op, value }: Condition,
  { result, reportable, interpretation, digits }: FinalResult,
): boolean => {
  if (op === 'interpretation') return interpretation !== null && plain(interpretation) === plain(value)
  if (op === 'text') return [result, reportable].some((text) => text !== null && plain(text) === plain(value))
  const limit = parseDecimal(value.trim())
  if (!limit || result === null) return false
  const number = parseDecimal(result.trim())
  if (number) {
    const order = compare(roundTo(number, digits), limit)
    return { '>': order > 0, '>=': order >= 0, '<': order < 0, '<=': order <= 0, '=': order === 0 }[op]
  }
  const [, sign = '', rest = ''] = /^([<>]=?)\s*(\S+)$/.exec(result.trim()) ?? []
  const bound = parseDecimal(rest)
  if (!bound || op[0] !== sign[0]) return false
  const order = sign[0] === '>' ? compare(bound, limit) : compare(limit, bound)
  const mayBeEqual = sign.endsWith('=') && !op.endsWith('=')
  return mayBeEqual ? order > 0 : order >= 0
}

/** The tests added because of a test, by rule; true if they form a cycle. */
export const hasCycle = (edges: readonly { from: number; to: number }[]): boolean => {
  const next = Map.groupBy(edges, ({ from }) => from)
  const done = new Set<number>()
  const visit = (test: number, path: ReadonlySet<number>): boolean => {
    if (path.has(test)) return true
    if (done.has(test)) return false
    const found = (next.get(test) ?? []).some(({ to }) => visit(to, new Set([...path, test])))
    done.add(test)
    return found
  }
  return [...next.keys()].some((test) => visit(test, new Set()))
}
