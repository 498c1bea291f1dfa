import { expect, it } from 'vitest'
import { openTestApp } from '../../../test/app.ts'
import { expectWithin } from '../../../test/quiet-machine.ts'
import { inTransaction } from '../../platform/db/db.ts'
import { evaluateFrom } from './evaluate.ts'
import { chartOf } from './queries.ts'

const test = openTestApp()

it('QC-12 with 100,000 runs a chart of 90 days takes less than 200 ms, the evaluation of a new run less than 10 ms', async () => {
  const { given, database } = test
  const { rows } = await database.owner.query("select id from test where code = 'CHOL'")
  const testId = rows[0].id as number
  const instrument = await given.store('instrument', {
    name: 'Busy',
    lab_id: (await given.lab()).id,
    protocol: 'ASTM',
  })
  const material = await given.store('qc_material', { name: 'Busy' })
  const lot = { material_id: material.id, level: 1, lot_number: '1', expires: '2030-01-01' }
  const { id: lotId } = await given.store('qc_lot', lot)
  const ids = [instrument.id, testId]
  // Three runs an hour: the last 90 days hold 6,480 of them.
  await database.owner.query(
    `insert into qc_run (instrument_id, test_id, ran_at, state, control_state, levels, rules)
       select $1, $2, now() - make_interval(mins => 20 * n), 'IN', 'IN', '{1}', '[{"rule":"12-x","action":"REJECT"}]' from generate_series(100000, 1, -1) n`,
    ids,
  )
  await database.owner.query(
    `insert into qc_value (run_id, lot_id, level, instrument_id, test_id, ran_at, value, mean, sd, z, state, is_parallel)
       select id, $1, 1, instrument_id, test_id, ran_at, 100 + id % 7, 103, 3, 0, 'IN', false from qc_run where instrument_id = $2`,
    [lotId, instrument.id],
  )
  await database.owner.query('analyze qc_run')
  await database.owner.query('analyze qc_value')
  const { rows: newest } = await database.owner.query(
    'select id, ran_at as "ranAt" from qc_run where instrument_id = $1 order by ran_at desc limit 1',
    [instrument.id],
  )
  const staff = await test.as('STF')
  const path = `qc_chart?instrumentId=${instrument.id}&testCode=CHOL&days=90`
  expect((await staff.get(path)).body.data.runs.length).toBeGreaterThan(6000)
  // Without the comparison of the reply with its contract, which only tests make.
  await expectWithin(200, () => chartOf(database.db, { instrumentId: instrument.id, testId, days: 90 }), 15)
  const evaluate = () =>
    inTransaction(database.db, (trx) => evaluateFrom(trx, { instrumentId: instrument.id, testId }, newest[0]))
  await expectWithin(10, evaluate, 15)
})
