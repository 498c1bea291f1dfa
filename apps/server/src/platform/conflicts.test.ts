import { expect, it } from 'vitest'
import { throwConflictIfAny } from './conflicts.ts'

it('does not throw without reasons', () => {
  expect(() => throwConflictIfAny([null, null])).not.toThrow()
})

it('names every reason, or of many the first five and the number of the others', () => {
  expect(() => throwConflictIfAny(['A is used', null, 'B is used'])).toThrow('A is used; B is used')
  const many = Array.from({ length: 12 }, (_, index) => `${index} is used`)
  expect(() => throwConflictIfAny(many)).toThrow('0 is used; 1 is used; 2 is used; 3 is used; 4 is used; and 7 more')
})
