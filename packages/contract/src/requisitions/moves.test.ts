import { expect, it } from 'vitest'
import { movableStatuses } from './moves.ts'
import { requisitionStatuses } from './status.ts'

it('the statuses with a button for the next one are those that a bulk move leaves', () => {
  const bulk = requisitionStatuses.filter(({ nextBy }) => nextBy === 'BULK').map(({ code }) => code)
  expect(movableStatuses).toEqual(bulk)
})
