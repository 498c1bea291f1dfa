import { adviceByName } from '@lis/contract/csv-loads.ts'
import type { FileRules } from '../../ui/upload/file-rules.ts'

export const csvFileRules: FileRules = { kinds: ['CSV'], maxBytes: 50 * 1024 * 1024, maxFiles: 1, advise: adviceByName }
