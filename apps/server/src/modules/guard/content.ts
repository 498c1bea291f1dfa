/** The text of a file line by line (cells separated by tabs), and the bar codes in its images. */
export interface FileContent {
  lines: string[]
  barCodes: string[]
  /** After the last page that was read. */
  unreadPages: number
  /** Why it could not be read at all; the lines are empty then. */
  fault: 'encrypted' | 'broken' | 'overLimit' | null
}

export const unreadable = (fault: NonNullable<FileContent['fault']>): FileContent => ({
  lines: [],
  barCodes: [],
  unreadPages: 0,
  fault,
})
