import { messages } from '@lis/contract/messages.ts'

/** The file kinds of the product and their extensions. */
const extensions = {
  PDF: ['.pdf'],
  PNG: ['.png'],
  JPEG: ['.jpg', '.jpeg'],
  TIFF: ['.tif', '.tiff'],
  CSV: ['.csv'],
} as const
type UploadKind = keyof typeof extensions

/** Which files are accepted. The server checks them again, including their content. */
export interface FileRules {
  kinds: readonly UploadKind[]
  maxBytes: number
  /** 1 for single-file uploads, which use only the first file. */
  maxFiles: number
  isNameUnique?: boolean
  /** What to do with a file of another kind; undefined if nothing better is known than the accepted kinds. */
  advise?: (name: string) => string | undefined
}

const megabyte = 1024 * 1024

/** Documents of clients and requisitions (DOC-G6). */
export const documentRules: FileRules = { kinds: ['PDF', 'PNG', 'JPEG', 'TIFF'], maxBytes: 50 * megabyte, maxFiles: 1 }

/** The `accept` attribute of the file input. */
export const acceptOf = ({ kinds }: FileRules): string => kinds.flatMap((kind) => extensions[kind]).join(',')

/** 'PDF, PNG, JPEG or TIFF, up to 50 MB' */
export const describeRules = ({ kinds, maxBytes }: FileRules): string =>
  `${joinNames(kinds, 'or')}, up to ${maxBytes / megabyte} MB`

/** Why a file is refused before it is sent; undefined if it is accepted. */
export const refusalOf = (file: Pick<File, 'name' | 'size'>, rules: FileRules): string | undefined => {
  const name = file.name.toLowerCase()
  const isKnown = rules.kinds.some((kind) => extensions[kind].some((ending) => name.endsWith(ending)))
  if (!isKnown) return rules.advise?.(name) ?? messages.fileKinds(joinNames(rules.kinds, 'and'))
  if (file.size === 0) return messages.fileEmpty
  return file.size > rules.maxBytes ? messages.fileTooLarge(rules.maxBytes / megabyte) : undefined
}

const joinNames = (names: readonly string[], word: 'and' | 'or') =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} ${word} ${names.at(-1)}`
