import {
  type AstmMessage,
  type AstmRecord,
  astmComponents,
  astmRepeats,
  astmText,
  parseAstm,
  rawAstmField,
} from '../../platform/astm/records.ts'
import { flagsOf, type MeasuredResult } from '../instrument-results/measured.ts'
import type { ReadMessage, ReadOptions } from './read-message.ts'

/** The records that comments can follow, the most general first. */
const levels = ['H', 'P', 'O', 'R']

/** The results of a message: R records under their O, with the comments on them and on their order, patient and message. */
export const readAstm = (text: string, { toInstant }: ReadOptions): ReadMessage => {
  const message = parseAstm(text)
  const results: MeasuredResult[] = []
  let order: AstmRecord | undefined
  let level = 0
  const comments: string[][] = levels.map(() => [])
  for (const record of message.records) {
    if (levels.includes(record.type)) {
      level = levels.indexOf(record.type)
      comments.fill([], level)
    }
    if (record.type === 'O') order = record
    else if (record.type === 'P') order = undefined
    else if (record.type === 'R') {
      const result = readResult(message, order, record, toInstant)
      results.push({ ...result, flags: flagsOf(result.flags, comments.flat()) })
    } else if (record.type === 'C') {
      const comment = instrumentComment(message, record)
      if (comment === null) continue
      comments[level] = [...(comments[level] ?? []), comment]
      const current = results.at(-1)
      if (level === levels.length - 1 && current) current.flags = flagsOf(current.flags, [comment])
    }
  }
  return { sentAt: rawAstmField(message.records[0], 14), results }
}

/** The text of a comment of type I, which is a flag of the instrument. */
const instrumentComment = (message: AstmMessage, record: AstmRecord): string | null => {
  if (astmText(message, record, 5).toUpperCase() !== 'I') return null
  const [repeat = ''] = astmRepeats(message, record, 4)
  return astmComponents(message, repeat).filter(Boolean).join(' ') || 'Comment'
}

const readResult = (
  message: AstmMessage,
  order: AstmRecord | undefined,
  record: AstmRecord,
  toInstant: ReadOptions['toInstant'],
): MeasuredResult => {
  const abnormal = astmRepeats(message, record, 7).map((repeat) => astmComponents(message, repeat).find(Boolean) ?? '')
  const completedAt = rawAstmField(record, 13).trim()
  return {
    specimenId: astmText(message, order, 3),
    isControl: astmRepeats(message, order, 12).some((repeat) => repeat.trim().toUpperCase() === 'Q'),
    code: codeOf(message, record),
    value: measuredValue(message, record),
    units: astmText(message, record, 5) || null,
    flags: flagsOf(abnormal, []),
    abnormalFlag: abnormal.filter(Boolean).join(' ') || null,
    status: astmText(message, record, 9).toUpperCase(),
    operator: astmText(message, record, 11) || null,
    reagentLot: null,
    measuredAt: toInstant(completedAt) ?? toInstant(rawAstmField(record, 12)),
    completedAt,
    rawRecord: record.raw,
  }
}

/** The fourth component of the universal test id, otherwise the first one that is not empty. */
const codeOf = (message: AstmMessage, record: AstmRecord): string => {
  const parts = astmComponents(message, astmRepeats(message, record, 3)[0] ?? '')
  return parts[3] || parts.find(Boolean) || ''
}

/** The components of a value belong together, such as a sign and a number. */
const measuredValue = (message: AstmMessage, record: AstmRecord): string =>
  astmRepeats(message, record, 4)
    .map((repeat) => astmComponents(message, repeat).join(''))
    .join(' ')
    .trim()

/** The specimens in a query of an instrument: the second component of Q-3, otherwise the first. */
export const queriedSpecimens = (text: string): string[] => {
  const message = parseAstm(text)
  return message.records
    .filter(({ type }) => type === 'Q')
    .flatMap((record) => astmRepeats(message, record, 3))
    .map((repeat) => {
      const [first = '', second = ''] = astmComponents(message, repeat)
      return second || first
    })
    .filter(Boolean)
}

export const isQuery = (text: string): boolean => parseAstm(text).records.some(({ type }) => type === 'Q')
