import { describe, expect, it } from 'vitest'
import { deleteWarning, messages } from './messages.ts'

describe('messages', () => {
  it('fills its placeholders', () => {
    expect([
      messages.required('Collected Hours'),
      messages.deleteOne('client'),
      messages.deleteMany(3, 'client'),
      messages.locationCount(2),
      messages.requestFailed('stopped'),
    ]).toEqual([
      'Collected Hours is required',
      'Are you sure you want to delete this client?',
      'Are you sure you want to delete 3 client(s)?',
      'You are only allowed to select 2 location',
      'Error: stopped',
    ])
  })

  it('warns before a delete, of one item or of all of them, and says where they can be restored', () => {
    const restorable = "Only an administrator can then restore what was deleted, from the page 'Deleted'."
    const one = "This item will be deleted immediately. You can't undo this action."
    expect([deleteWarning(1), deleteWarning(1, true)]).toEqual([`${one} ${restorable}`, one])
    expect([deleteWarning(2), deleteWarning(2, true)]).toEqual([
      `These 2 items will be deleted immediately. ${restorable}`,
      "These 2 items will be deleted immediately. You can't undo this action.",
    ])
  })

  // The specification spells them this way.
  it.each([
    [messages.loggedIn, 'Successfully login'],
    [messages.passwordNeedsCases, 'Password must contain at least 1 uppercase and lowercase letter. '],
    [messages.weightTooSmall, 'Weight must be great than 0'],
    [messages.heightCmTooSmall, 'Height Cm must be great than 0'],
    [messages.labQcUpdated, 'Lab QC Result Successfully Update'],
    [messages.modifyCanceled, 'Modify is canceled'],
    [messages.smartViewEmpty, 'Form is error'],
    [messages.fileMissing, 'Please Upload File'],
    [messages.storageFailed, 'S3 error'],
    [messages.noResponse, 'Server Error1'],
    [messages.responseWithoutMessage, 'Unknown Error'],
    [messages.noticeWithoutText, 'Unknown error'],
  ])('keeps the spelling of %j', (text, spelled) => {
    expect(text).toBe(spelled)
  })
})
