/**
 * User-visible texts exactly as the specification writes them (including its spelling mistakes),
 * from its error catalogue (1§8, 2§8) and its validation rules (1§5, 2§5). Labels and titles live with their screens.
 */
export const messages = {
  // Any field
  required: (label: string) => `${label} is required`,
  tooLong: (label: string, max: number) => `${label} must be at most ${max} characters`, // ours: the spec sets no limits
  invalid: (label: string) => `${label} is invalid`, // ours: for what no form can send

  // Sign-in and passwords
  loggedIn: 'Successfully login',
  usernameRequired: 'Username is required',
  passwordRequired: 'Password is required',
  currentPasswordRequired: 'Current password is required',
  codeRequired: 'Authentication failed. Please enter a valid authentication code.',
  passwordNeedsNumber: 'Password must contain at least 1 number.',
  passwordNeedsCases: 'Password must contain at least 1 uppercase and lowercase letter. ', // the space at the end is the spec's
  passwordNeedsSpecial: 'Password must contain at least 1 special character !@#$%^&*()~',
  passwordTooShort: '16 characters minimum password length',
  confirmRequired: 'Password confirm is required',
  confirmDiffers: "Passwords don't match",
  accountDisabled: 'This account is disabled. Enable it first.', // ours
  sessionExpired: 'Session expired, please re-login.',
  refreshFailed: 'Unable to refresh Token', // logged, not shown

  // Date and time parts, phones
  invalidDate: 'Invalid date',
  dateNotNumber: 'Date must be a number',
  invalidMonth: 'Invalid month',
  invalidYear: 'Invalid year',
  invalidHours: 'Invalid hours',
  invalidMinutes: 'Invalid minutes',
  phoneHint: '[country code][area code][phone number]',
  phoneFormat: 'Phone number allowed in format 00(000) 000-0000',
  phoneInvalid: 'Invalid phone number',

  // Requisition forms
  clientTimezoneMissing: "Client Timezone is not available, please make sure the client's timezone is set correctly.",
  clientTimezoneTooltip: "Unable to calculate client's timezone. Please correct the client's city, state and country.",
  dateInFuture: 'Date cannot be in the future', // this and the next five: CREATE-G3, CREATE-G7, PAT-G1
  birthDateTooLongAgo: 'Date of birth cannot be more than 130 years ago',
  collectedBeforeBirth: 'Date collected cannot be before the date of birth',
  collectedAfterReceived: 'Date collected cannot be after the specimen was received',
  timeSkipped: "This time does not exist in the client's time zone.",
  timeAmbiguous: "This time occurs twice on this day in the client's time zone. Please choose which one is meant.",
  sbpNotAboveDbp: 'SBP must be higher than DBP', // ours
  weightTooSmall: 'Weight must be great than 0',
  weightNotNumber: 'Weight is required',
  heightFeetTooLarge: 'Height must be less than or equal to 8 feet.',
  heightFeetTooSmall: 'Height Feet must be positive', // PAT-G5
  heightInchesTooSmall: 'Height Inches must be positive',
  heightInchesTooLarge: 'Height must be less than or equal to 96 inches.',
  heightCmTooSmall: 'Height Cm must be great than 0',
  icdRequired: 'ICD Code is required',
  icdStart: 'ICD Code should not start with number',
  icdEnd: 'No special symbols are allowed at the end of the ICD Code name',
  icdRangeE: 'ICD Codes E800-E999 not available',
  icdRangeV: 'ICD Codes V01-V82 not available',
  icdRangeM: 'ICD Codes M8000-M9970 not available',
  locationCount: (count: number) => `You are only allowed to select ${count} location`,
  testsMissing: 'Check any test',
  insuranceMissing: 'Please select insurance',
  fileMissing: 'Please Upload File',
  fileKinds: (kinds: string) => `Only ${kinds} files are accepted`, // this and the next four: DOC-G6, BATCH-G8
  fileTooLarge: (megabytes: number) => `The file is larger than ${megabytes} MB`,
  fileEmpty: 'The file is empty',
  fileAlreadyListed: 'A file of this name is already in the list',
  filesTooMany: (count: number) => `At most ${count} files can be uploaded at once`,
  requisitionIdMissing: 'No requisition ID found in selected row',
  printFailed: 'Printing error',

  // Smart views
  smartViewNameRequired: 'Smart Filter Name is required',
  smartViewEmpty: 'Form is error',
  smartViewDeleted: 'Smart filter deleted successfully',

  // Saves
  created: 'Successfully created',
  updated: 'Successfully updated',
  statusUpdated: 'Successfully updated status',
  saved: 'Successfully saved',
  uploaded: 'Successfully uploaded',
  modified: 'Successfully modified',
  modifyCanceled: 'Modify is canceled',
  reportUploaded: 'Report Uploaded',
  labQcUpdated: 'Lab QC Result Successfully Update',
  passCodesUpdated: 'Pass Codes successfully updated',
  failCodesUpdated: 'Fail Codes successfully updated',

  // Deletes
  deleted: 'Successfully deleted',
  deleteOne: (item: string) => `Are you sure you want to delete this ${item}?`,
  deleteMany: (count: number, item: string) => `Are you sure you want to delete ${count} ${item}(s)?`,
  deleteWarning: "This item will be deleted immediately. You can't undo this action.",
  /** Shown after the warning of the specification, which does not mention the page 'Deleted'. */
  deleteRestorable: "Only an administrator can then restore what was deleted, from the page 'Deleted'.",
  unlinkOne: (item: string, from: string) => `Are you sure you want to remove this ${item} from the ${from}?`,
  unlinkMany: (count: number, item: string, from: string) =>
    `Are you sure you want to remove ${count} ${item}(s) from the ${from}?`,
  unlinkNote: (item: string) => `Nothing is deleted: each ${item} stays, and can be added again.`,
  restored: 'Successfully restored', // ours

  // Lists, exports, downloads, uploads
  listFailed: 'Error loading data',
  exportEmpty: 'No matching records found for export',
  exportUnexpectedResponse: 'Export failed with unexpected response format',
  exportFailed: 'Export failed',
  downloadNotice: 'If download failed, please click here',
  downloadAction: 'Download',
  fileQueued: (ahead: number) =>
    ahead === 0
      ? 'Your file is next. It will be made as soon as another one is ready.'
      : `Your file is waiting for ${ahead} ${ahead === 1 ? 'other' : 'others'}. It will be made without further action.`,
  downloadUrlMissing: 'Could not find download URL in server response',
  downloadFailed: 'Error during download process. Please try again later.',
  downloadTimeout: 'The server took too long to respond. Please try again later.',
  storageFailed: 'S3 error',

  // Billing batches
  batchNotSelected: 'Please select at least one billing batch to download',
  batchIdsInvalid: 'No valid billing batch IDs found in the selection',
  batchesMissing: 'No billing batches found',
  batchDetailsMissing: 'No details found for this billing batch',
  batchDetailsFailed: 'Error fetching billing batch details',

  // Failed requests and notices. Two spellings of 'unknown error' are the spec's (TABLE-G10).
  requestFailed: (message: string) => `Error: ${message}`,
  responseWithoutMessage: 'Unknown Error',
  noResponse: 'Server Error1',
  noticeWithoutText: 'Unknown error',
  forbiddenPage: '403: Forbidden',
  notFoundPage: '404: Not found',
} as const

/** The warning before a delete. For one record it is TABLE-033's; for several the text does not say 'this item'. */
export const deleteWarning = (count: number, isFinal = false): string => {
  const restorable = isFinal ? [] : [messages.deleteRestorable]
  if (count === 1) return [messages.deleteWarning, ...restorable].join(' ')
  const all = `These ${count} items will be deleted immediately.`
  return [all, ...(isFinal ? ["You can't undo this action."] : restorable)].join(' ')
}
