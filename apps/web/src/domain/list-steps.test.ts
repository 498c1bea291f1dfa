import { describe, expect, it } from 'vitest'
import { isNearEnd, knownIds, type ListPosition, listAddressOf, rowsAfter, rowsBefore } from './list-steps.ts'

const perPage = 25
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index)
const without = (ids: readonly number[], gone: readonly number[]) => ids.filter((id) => !gone.includes(id))

/** The original list, opened on a page. */
const openedOn = (page: number, ids: readonly number[]): ListPosition => ({
  view: 'ALL',
  search: '?status=Processing&perPage=25',
  perPage,
  total: ids.length,
  before: (page - 1) * perPage,
  runs: [{ page, ids: pageOf(ids, page) }],
})
const pageOf = (ids: readonly number[], page: number) => ids.slice((page - 1) * perPage, page * perPage)
/** The list as it is now. */
const live = (ids: readonly number[]) => async (page: number) => ({ ids: pageOf(ids, page), total: ids.length })
const firstAfter = async (list: ListPosition, now: readonly number[]) =>
  (await rowsAfter(list, live(now)))?.runs.at(-1)?.ids[0]
const lastBefore = async (list: ListPosition, now: readonly number[]) =>
  (await rowsBefore(list, live(now)))?.runs[0]?.ids.at(-1)

describe('the row after the last known one', () => {
  const stood = range(1, 100)
  const list = openedOn(1, stood)

  it('is the first of the next page while no row has left', async () => {
    expect(await firstAfter(list, stood)).toBe(26)
  })

  it('is the same when rows were finished and have left, all of them or some', async () => {
    expect(await firstAfter(list, range(26, 100))).toBe(26)
    expect(await firstAfter(list, without(stood, [3, 4, 25]))).toBe(26)
    expect(await firstAfter(openedOn(3, stood), without(stood, range(51, 75)))).toBe(76)
  })

  it('is the same when others finish rows before it', async () => {
    const second = openedOn(2, stood)
    expect(await firstAfter(second, without(stood, range(1, 10)))).toBe(51)
    expect(await firstAfter(second, without(stood, range(1, 24)))).toBe(51)
    expect(await firstAfter(second, without(stood, [...range(1, 25), 26, 27, 28]))).toBe(51)
  })

  it('is the same when our rows and others before them have left, however many, and when others were added before them', async () => {
    const second = openedOn(2, stood)
    expect(
      await firstAfter(
        second,
        without(
          stood,
          range(1, 50).filter((id) => id <= 10 || id > 25),
        ),
      ),
    ).toBe(51)
    expect(await firstAfter(openedOn(4, range(1, 200)), without(range(1, 200), range(1, 70)))).toBe(101)
    expect(await firstAfter(openedOn(1, range(1, 30)), [...range(201, 205), ...range(1, 30)])).toBe(26)
    expect(await firstAfter(second, [...range(201, 260), ...stood])).toBe(51)
  })

  it('stays the next one over several pages, and is counted as in the original list', async () => {
    let position = list
    for (const done of [25, 50, 75]) {
      const further = await rowsAfter(position, live(range(done + 1, 100)))
      if (!further) throw new Error(`no rows after ${done}`)
      position = further
      expect(position.before + knownIds(position).indexOf(done + 1) + 1).toBe(done + 1)
    }
    expect(knownIds(position)).toEqual(stood)
  })

  it('is the same when rows before it have left and as many or more were added after it', async () => {
    const now = without([...stood, ...range(101, 140)], [...range(1, 10), ...range(51, 74)])
    expect(await firstAfter(openedOn(3, stood), now)).toBe(76)
    expect(await firstAfter(openedOn(3, stood), without([...stood, ...range(101, 130)], range(1, 30)))).toBe(76)
  })

  it('is read while the last known ones are still there, so that it is the same whatever leaves and arrives meanwhile', async () => {
    let position = openedOn(3, stood)
    let now = stood
    const seen: number[] = []
    for (
      let at: number | undefined = 51;
      at !== undefined && at <= 80;
      at = knownIds(position).find((id) => id > (at ?? 0))
    ) {
      seen.push(at)
      if (isNearEnd(position, at)) position = (await rowsAfter(position, live(now))) ?? position
      // It is finished, and others finish rows of the first pages while as many arrive.
      now = without(now, [at, at - 50])
      now = [...now, 200 + at]
    }
    expect(seen).toEqual(range(51, 80))
  })

  it('is counted among the remaining rows, more than the list once had', async () => {
    const opened = openedOn(1, range(1, 30))
    // All 25 are finished, and three have arrived among the next ones.
    const further = await rowsAfter(opened, live([26, 201, 27, 202, 28, 203, 29, 30]))
    expect(further && [further.total, knownIds(further).length]).toEqual([33, 33])
    const longer = await rowsAfter(opened, live([...range(26, 30), ...range(201, 260)]))
    expect(longer?.total).toBe(25 + 65)
    expect((await rowsAfter(opened, live(range(1, 30))))?.total).toBe(30)
    expect((await rowsAfter(opened, live(range(26, 28))))?.total).toBe(30)
  })

  it('does not exist at the end, also where the page no longer exists', async () => {
    expect(await rowsAfter(openedOn(4, stood), live(stood))).toBeUndefined()
    expect(await rowsAfter(openedOn(4, stood), live(range(1, 75)))).toBeUndefined()
    expect(await rowsAfter(openedOn(1, range(1, 5)), live([]))).toBeUndefined()
  })
})

describe('the row before the first known one', () => {
  const stood = range(1, 100)

  it('is the last of the page before, also when rows before it have left or arrived', async () => {
    const third = openedOn(3, stood)
    expect(await lastBefore(third, stood)).toBe(50)
    expect(await lastBefore(third, without(stood, [1, 2, 3]))).toBe(50)
    expect(await lastBefore(third, without(stood, range(1, 25)))).toBe(50)
    expect(await lastBefore(third, [...range(201, 205), ...stood])).toBe(50)
    expect(await lastBefore(third, without(stood, range(51, 75)))).toBe(50)
  })

  it('keeps its number, and does not exist at the beginning', async () => {
    const before = await rowsBefore(openedOn(3, stood), live(stood))
    expect(before && before.before + knownIds(before).indexOf(50) + 1).toBe(50)
    expect(await rowsBefore(openedOn(2, stood), live(without(stood, range(1, 25))))).toBeUndefined()
    // Thirty were added on top: the path up, the list and the numbers grow by as many.
    const now = [...range(201, 230), ...stood]
    let position = openedOn(2, stood)
    for (const left of [50, 25, 0]) {
      const further = await rowsBefore(position, live(now))
      if (!further) throw new Error(`no rows before ${left}`)
      position = further
      expect(position.before + knownIds(position).indexOf(26) + 1).toBe(56)
      expect([position.before, position.total]).toEqual([left, 130])
    }
    expect(await rowsBefore(openedOn(1, stood), live(stood))).toBeUndefined()
  })
})

it('leads back to the page of the list where a row was read', async () => {
  const list = openedOn(2, range(1, 100))
  const further = await rowsAfter(list, live(range(1, 100)))
  expect(listAddressOf(list, 30)).toBe('?status=Processing&perPage=25&page=2')
  expect(further && listAddressOf(further, 51)).toBe('?status=Processing&perPage=25&page=3')
  expect(listAddressOf({ ...openedOn(1, range(1, 5)), search: '' }, 3)).toBe('')
})
