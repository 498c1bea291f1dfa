import { expect, it } from 'vitest'
import { nextIndex } from './box-picture.tsx'

it.each([
  ['ArrowRight', 0, 1],
  ['ArrowRight', 80, 80],
  ['ArrowLeft', 0, 0],
  ['ArrowDown', 30, 39],
  ['ArrowUp', 30, 21],
  ['ArrowUp', 5, 5],
  ['Home', 30, 27],
  ['End', 30, 35],
  ['a', 30, null],
])('%s moves from slot %i of a box of 81 to %s', (key, from, to) => {
  expect(nextIndex(key, from, 9, 81)).toBe(to)
})
