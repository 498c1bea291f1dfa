import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { collectedParts } from './collected.ts'

describe('the collection time in a form', () => {
  it.each([
    ['CREATE-70', 'dateCollectedMonth', 'Collected Month is required'],
    ['CREATE-71', 'dateCollectedDate', 'Collected Day is required'],
    ['CREATE-72', 'dateCollectedYear', 'Collected Year is required'],
    ['CREATE-73', 'timeCollectedHours', 'Collected Hours is required'],
    ['CREATE-74', 'timeCollectedMinutes', 'Collected Minutes is required'],
    ['CREATE-75', 'timeCollectedAmPm', 'Time of day is required'],
  ])('%s needs %s', (_, name, message) => {
    const faults = z.object(collectedParts).safeParse({}).error?.issues ?? []
    expect(faults.find(({ path }) => path[0] === name)?.message).toBe(message)
  })
})
