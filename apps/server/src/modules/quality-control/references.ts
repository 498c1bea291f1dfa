import { messages } from '@lis/contract/messages.ts'
import { qcLabels } from '@lis/contract/quality-control.ts'
import type { Db } from '../../platform/db/db.ts'
import { bigint } from '../../platform/db/expressions.ts'
import { invalid } from '../../platform/errors.ts'

/** A test on an instrument, the unit of quality control. */
export interface TestOnInstrument {
  instrumentId: number
  testId: number
}

/** Refuses codes and ids that do not exist, each with its field. */
export const requireTestOnInstrument = async (
  db: Db,
  { instrumentId, testCode }: { instrumentId: number; testCode: string },
): Promise<TestOnInstrument> => {
  const instrument = await db
    .selectFrom('instrument')
    .select('id')
    .where('id', '=', bigint(instrumentId))
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  if (!instrument) throw invalid('instrumentId', messages.invalid(qcLabels.instrumentId))
  const test = await findTest(db, testCode)
  if (!test) throw invalid('testCode', messages.invalid(qcLabels.testCode))
  return { instrumentId, testId: test.id }
}

const findTest = (db: Db, code: string) =>
  db
    .selectFrom('test')
    .select(['id', 'code', 'unit'])
    .where('code', '=', code)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
