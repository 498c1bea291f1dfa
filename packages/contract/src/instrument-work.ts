import { z } from 'zod'
import { download, list, newId, one } from './kit/envelope.ts'
import { byId, get, post, put } from './kit/route.ts'
import { messages } from './messages.ts'
import { optionalText, required } from './validation.ts'

// Files of instruments without a connection, and work lists.

export const fileColumnLabels = {
  specimenId: 'Specimen',
  code: 'Instrument Code',
  value: 'Result',
  units: 'Units',
  flags: 'Flags',
  status: 'Status',
  operator: 'Operator',
  reagentLot: 'Reagent Lot',
  measuredAt: 'Measured',
} as const
export type FileColumn = keyof typeof fileColumnLabels

export const mostFileCharacters = 700_000
const instrumentWorkLabels = { fileName: 'File Name', content: 'File', specimens: 'Specimens' } as const

const heading = (name: FileColumn) => optionalText(fileColumnLabels[name], 100)
const columnsInput = z
  .object({
    specimenId: required(fileColumnLabels.specimenId, 100),
    code: required(fileColumnLabels.code, 100),
    value: required(fileColumnLabels.value, 100),
    units: heading('units'),
    flags: heading('flags'),
    status: heading('status'),
    operator: heading('operator'),
    reagentLot: heading('reagentLot'),
    measuredAt: heading('measuredAt'),
  })
  .superRefine((columns, { addIssue }) => {
    const names = Object.entries(columns).filter(([, name]) => name !== null) as [FileColumn, string][]
    for (const [index, [field, name]] of names.entries())
      if (names.slice(0, index).some(([, other]) => other.toLowerCase() === name.toLowerCase()))
        addIssue({ code: 'custom', path: [field], message: `The column ${name} is given twice` })
  })
/** Which column of a file, by its heading, holds what. */
export type FileColumns = z.infer<typeof columnsInput>
const text = z.string().nullable()
/** All null while nobody has said it. */
const columns = z.object({
  version: z.number().int(),
  /** The folder on the server whose files are taken. */
  folder: z.string(),
  specimenId: text,
  code: text,
  value: text,
  units: text,
  flags: text,
  status: text,
  operator: text,
  reagentLot: text,
  measuredAt: text,
})
export type StoredFileColumns = z.infer<typeof columns>

const mostSpecimens = 500
const specimen = z.string().trim().min(1, messages.invalid(instrumentWorkLabels.specimens)).max(64)
const specimens = z
  .array(specimen, { error: messages.invalid(instrumentWorkLabels.specimens) })
  .max(mostSpecimens, `At most ${mostSpecimens} specimens`)
const optionalSpecimens = specimens.nullish().transform((list) => list ?? [])

const workListRow = z.object({
  /** On the rack, from 1. */
  position: z.number().int(),
  specimenId: z.string(),
  /** Null where nothing is open for the specimen. */
  reqId: z.number().int().nullable(),
  patientId: z.number().int().nullable(),
  patientName: text,
  patientDob: text,
  patientSexCode: text,
  collectedAt: z.iso.datetime({ offset: true }).nullable(),
  instrumentCodes: z.array(z.string()),
  testCodes: z.array(z.string()),
})
export type WorkListRow = z.infer<typeof workListRow>

export const instrumentWorkRoutes = {
  fileColumns: get('instruments/:id/file_columns', {
    access: 'instruments.read',
    summary: 'Which column of a file of the instrument holds what',
    params: byId,
    reply: one(columns),
  }),
  saveFileColumns: put('instruments/:id/file_columns', {
    access: 'instruments.write',
    summary: 'With If-Match only if nobody has changed them since',
    params: byId,
    body: columnsInput,
    reply: one(columns),
  }),
  takeFile: post('instruments/:id/files', {
    access: 'review.decide',
    summary: 'Takes the results of a CSV file, each file once',
    params: byId,
    body: z.object({
      fileName: required(instrumentWorkLabels.fileName, 255),
      content: z
        .string({ error: messages.required(instrumentWorkLabels.content) })
        .max(mostFileCharacters, `A file has at most ${mostFileCharacters.toLocaleString('en-US')} characters`),
    }),
    reply: one(z.object({ id: z.number().int(), rowCount: z.number().int() })),
  }),
  workList: get('instruments/:id/work_list', {
    access: 'instruments.read',
    summary: 'The open tests of these specimens in the order of the rack; without specimens, those of the laboratory',
    params: byId,
    query: z.object({
      specimens: z
        .string()
        .max(mostSpecimens * 65)
        .optional()
        .transform((value) =>
          (value ?? '')
            .split(',')
            .map((one) => one.trim())
            .filter(Boolean),
        )
        .pipe(specimens),
    }),
    reply: list(workListRow),
  }),
  printWorkList: post('instruments/:id/work_list/print', {
    access: 'instruments.read',
    summary: 'The work list as PDF',
    patientData: true,
    params: byId,
    body: z.object({ specimens: optionalSpecimens }),
    reply: download,
  }),
  sendWorkList: post('instruments/:id/work_list/send', {
    access: 'review.decide',
    summary: 'Sends the work list to an instrument that is connected over ASTM; the id is that of the message',
    params: byId,
    body: z.object({ specimens: optionalSpecimens }),
    reply: newId,
  }),
}
