/** What a file says: its lines as they stand on the page (cells parted by tabs), and the bar codes in its pictures. */
export interface FileContent {
  lines: string[]
  barCodes: string[]
  /** Behind the last that is read. */
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
