import { Readable } from 'node:stream'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../test/database.ts'
import { onQuietMachine } from '../test/quiet-machine.ts'
import { type IcdFileError, loadIcdOrderFile, parseIcdLine } from './icd-order-file.ts'

/** One line as the CMS writes it: fixed columns, the short text padded to sixty. */
const line = (order: number, code: string, isBillable: boolean, text: string) =>
  `${String(order).padStart(5, '0')} ${code.padEnd(7)} ${isBillable ? 1 : 0} ${text.slice(0, 60).padEnd(60)} ${text}`

const fileOf = (lines: readonly string[], lineEnd = '\n') => Readable.from([Buffer.from(lines.join(lineEnd) + lineEnd)])

const someLines = [
  line(1, 'A00', false, 'Cholera'),
  line(2, 'A000', true, 'Cholera due to Vibrio cholerae 01, biovar cholerae'),
  line(3, 'I10', true, 'Essential (primary) hypertension'),
  line(4, 'E11', false, 'Type 2 diabetes mellitus'),
  line(5, 'E1165', true, 'Type 2 diabetes mellitus with hyperglycemia'),
  line(
    6,
    'S72001A',
    true,
    'Fracture of unspecified part of neck of right femur, initial encounter for closed fracture',
  ),
]

describe('the lines of an ICD order file', () => {
  it('give the code with its dot and the long description', () => {
    expect(parseIcdLine(someLines[5] as string)).toEqual({
      code: 'S72.001A',
      isBillable: true,
      description: 'Fracture of unspecified part of neck of right femur, initial encounter for closed fracture',
    })
  })

  it('keep a code of three characters as it is', () => {
    expect(parseIcdLine(someLines[2] as string)).toMatchObject({ code: 'I10', isBillable: true })
  })

  it.each([
    ['a letter in the order number', `0000X A000    1 ${'x'.padEnd(60)} Cholera`],
    ['a code in small letters', `00001 a000    1 ${'x'.padEnd(60)} Cholera`],
    ['another header flag', `00001 A000    2 ${'x'.padEnd(60)} Cholera`],
    ['no long description', `00001 A000    1 ${'Cholera'.padEnd(60)}`],
    ['columns that have shifted', `00001 A000    1 ${'x'.padEnd(60)}y Cholera`],
  ])('are refused for %s', (_, text) => {
    expect(parseIcdLine(text)).toEqual(expect.any(String))
  })
})

describe('loading an ICD order file', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await openTestDatabase()
  })
  afterAll(() => database.close())
  beforeEach(() => database.owner.query("delete from icd; delete from setting where key = 'icd.order-file'"))

  const codes = async () => {
    const { rows } = await database.owner.query<{ code: string; description: string; is_active: boolean }>(
      'select code, description, is_active from icd order by code',
    )
    return rows
  }

  it('stores the billable codes and skips the headers', async () => {
    const result = await loadIcdOrderFile(database.owner, fileOf(someLines))
    expect(result).toMatchObject({ lines: 6, headers: 2, codes: 4, added: 4, changed: 0 })
    expect((await codes()).map((row) => row.code)).toEqual(['A00.0', 'E11.65', 'I10', 'S72.001A'])
  })

  it('reads Windows line ends, and changes nothing the second time', async () => {
    await loadIcdOrderFile(database.owner, fileOf(someLines, '\r\n'))
    const before = await codes()
    const again = await loadIcdOrderFile(database.owner, fileOf(someLines))
    expect(again).toMatchObject({ added: 0, changed: 0, unchanged: 4 })
    expect(await codes()).toEqual(before)
    expect(before.map((row) => row.description)).toContain('Essential (primary) hypertension')
  })

  it('cuts lines that arrive in pieces, and reads Latin-1 where the file is no UTF-8', async () => {
    const bytes = Buffer.from(
      `${someLines.join('\n')}\n${line(7, 'H8101', true, 'Ménière disease, right ear')}`,
      'latin1',
    )
    const pieces = Array.from({ length: Math.ceil(bytes.length / 7) }, (_, at) => bytes.subarray(at * 7, at * 7 + 7))
    await loadIcdOrderFile(database.owner, Readable.from(pieces))
    expect((await codes()).find((row) => row.code === 'H81.01')?.description).toBe('Ménière disease, right ear')
  })

  it('gives an existing code the official wording and keeps its id, and a custom code its own', async () => {
    await database.owner.query(
      `insert into icd (id, code, description, is_custom, is_active)
       values (700001, 'I10', 'High blood pressure', false, false), (700002, 'E11.65', 'My own words', true, true)`,
    )
    const result = await loadIcdOrderFile(database.owner, fileOf(someLines))
    expect(result).toMatchObject({ added: 2, changed: 1, customKept: 1, unchanged: 0 })
    const { rows } = await database.owner.query(
      'select id, description, is_active from icd where id > 700000 order by id',
    )
    expect(rows).toEqual([
      { id: 700001, description: 'Essential (primary) hypertension', is_active: true },
      { id: 700002, description: 'My own words', is_active: true },
    ])
  })

  it('switches off codes missing from the file only with the option, and never a custom code', async () => {
    await database.owner.query(
      "insert into icd (code, description, is_custom) values ('Z99.9', 'Gone', false), ('X-OWN', 'Own', true)",
    )
    expect(await loadIcdOrderFile(database.owner, fileOf(someLines))).toMatchObject({ switchedOff: 0 })
    expect(await loadIcdOrderFile(database.owner, fileOf(someLines), { replace: true })).toMatchObject({
      switchedOff: 1,
    })
    const inactive = (await codes()).filter((row) => !row.is_active)
    expect(inactive.map((row) => row.code)).toEqual(['Z99.9'])
  })

  it('refuses the whole file for one bad line and names every one', async () => {
    const lines = [...someLines, 'this is not a line', line(8, 'I10', true, 'Twice')]
    const error = await loadIcdOrderFile(database.owner, fileOf(lines)).catch((reason: IcdFileError) => reason)
    expect((error as IcdFileError).faults).toEqual([
      { line: 7, reason: expect.any(String) },
      { line: 8, reason: 'code I10 is already on line 3' },
    ])
    expect((error as Error).message).toContain('line 7')
    expect(await codes()).toEqual([])
  })

  it('refuses a file without codes', async () => {
    await expect(loadIcdOrderFile(database.owner, fileOf([]))).rejects.toThrow('no billable code')
  })

  it('loads 75,000 codes within seconds', async () => {
    const letters = 'ABCDEFGHIJ'
    const lines = Array.from({ length: 75_000 }, (_, index) => {
      const code = `${letters[index % 10]}${String(Math.floor(index / 10) % 100).padStart(2, '0')}${String(Math.floor(index / 1000)).padStart(2, '0')}`
      return line(
        (index % 99_999) + 1,
        code,
        true,
        `Condition number ${index} of the generated list, unspecified site, initial encounter`,
      )
    })
    const start = performance.now()
    const result = await loadIcdOrderFile(database.owner, fileOf(lines))
    expect(result.added).toBe(75_000)
    // It takes four on two idle cores; the limit allows for other load.
    expect(performance.now() - start).toBeLessThan(onQuietMachine(20_000))
  })
})
