/** Codes of table 0357 with the text for the sender, which never contains patient data. */
export const faultWords = {
  100: 'Segment sequence error',
  101: 'Required field missing',
  102: 'Data type error',
  103: 'Table value not found',
  200: 'Unsupported message type',
  201: 'Unsupported event code',
  202: 'Unsupported processing id',
  203: 'Unsupported version id',
  204: 'Unknown key identifier',
  205: 'Duplicate key identifier',
  207: 'Application internal error',
} as const
export type FaultCode = keyof typeof faultWords

export interface Hl7Fault {
  code: FaultCode
  /** For a missing segment, only its name. */
  segment: string
  sequence?: number
  field?: number
  /** Details besides the text of the code. */
  words?: string
}

export const fault = (
  code: FaultCode,
  segment: string,
  sequence?: number,
  field?: number,
  words?: string,
): Hl7Fault => ({
  code,
  segment,
  ...(sequence !== undefined && { sequence }),
  ...(field !== undefined && { field }),
  ...(words !== undefined && { words }),
})

/** The text on the desk about a refused message. */
export const reasonOf = (faults: readonly Hl7Fault[]): string =>
  faults
    .map(({ code, segment, field, words }) => {
      const place = segment && (field === undefined ? segment : `${segment}-${field}`)
      return `${words ?? faultWords[code]}${place && `: ${place}`}`
    })
    .join('; ')
