import { messages } from '@lis/contract/messages.ts'

/** The kinds of file the product knows, and how their names end. */
const endings = {
  PDF: ['.pdf'],
  PNG: ['.png'],
  JPEG: ['.jpg', '.jpeg'],
  TIFF: ['.tif', '.tiff'],
  CSV: ['.csv'],
} as const
export type UploadKind = keyof typeof endings

/** Which files are taken. The server asks the same again, and of their bytes. */
export interface FileRules {
  kinds: readonly UploadKind[]
  maxBytes: number
  /** 1 for single-file uploads, of which only the first file is used. */
  maxFiles: number
  isNameUnique?: boolean
}

const megabyte = 1024 * 1024

/** Documents of clients and requisitions (DOC-G6). */
export const documentRules: FileRules = { kinds: ['PDF', 'PNG', 'JPEG', 'TIFF'], maxBytes: 50 * megabyte, maxFiles: 1 }

/** What the browser's own file window offers. */
export const acceptOf = ({ kinds }: FileRules): string => kinds.flatMap((kind) => endings[kind]).join(',')

/** 'PDF, PNG, JPEG or TIFF, up to 50 MB' */
export const describeRules = ({ kinds, maxBytes }: FileRules): string =>
  `${listed(kinds, 'or')}, up to ${maxBytes / megabyte} MB`

/** Why a file is not taken, before any of it travels; undefined when it is. */
export const refusalOf = (file: Pick<File, 'name' | 'size'>, rules: FileRules): string | undefined => {
  const name = file.name.toLowerCase()
  const isKnown = rules.kinds.some((kind) => endings[kind].some((ending) => name.endsWith(ending)))
  if (!isKnown) return messages.fileKinds(listed(rules.kinds, 'and'))
  if (file.size === 0) return messages.fileEmpty
  return file.size > rules.maxBytes ? messages.fileTooLarge(rules.maxBytes / megabyte) : undefined
}

const listed = (names: readonly string[], word: 'and' | 'or') =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} ${word} ${names.at(-1)}`
