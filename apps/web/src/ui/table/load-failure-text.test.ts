import { describe, expect, it } from 'vitest'
import { ApiError } from '../../lib/api-error.ts'
import { loadFailureText } from './load-failure-text.ts'

describe('the message of a failed load', () => {
  it.each([
    ['the server’s words', new ApiError('The database is asleep', { status: 500 }), 'The database is asleep'],
    ['the error’s', new TypeError('Failed to fetch'), 'Failed to fetch'],
    ['that it failed, when there is no message at all', new Error(''), 'Error loading data'],
    ['the same for what is no error', undefined, 'Error loading data'],
  ])('is %s', (_, error, text) => {
    expect(loadFailureText(error)).toBe(text)
  })
})
