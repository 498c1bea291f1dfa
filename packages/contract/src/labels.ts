import { z } from 'zod'
import { one } from './kit/envelope.ts'
import { get, post } from './kit/route.ts'
import { messages } from './messages.ts'
import { requiredIds } from './validation.ts'

/** The two kinds of labels, as 'Print labels' offers them. */
export const labelTypes = { BARCODE: 'Bar code labels', CRYO: 'Cryo labels' } as const
export type LabelType = keyof typeof labelTypes

/** Per requisition. */
const maxCryoLabels = 20

export const labelMessages = {
  cryoCount: `Labels per requisition must be 1 to ${maxCryoLabels}`,
  sent: (count: number) => `${count} ${count === 1 ? 'label' : 'labels'} sent to the printer`,
  noCryo: 'No cryo labels are to be printed for this selection',
  noPrinter: 'No label printer is set up',
} as const

const printed = z.object({
  labelCount: z.number().int(),
  /** The file for the browser to print; null if the labels were sent to the printer. */
  url: z.string().nullable(),
})

export const labelRoutes = {
  printer: get('labels/printer', {
    access: 'requisitions.printLabels',
    summary: 'Whether labels can be sent to a label printer',
    reply: one(z.object({ isAvailable: z.boolean() })),
  }),
  print: post('labels/print', {
    access: 'requisitions.printLabels',
    patientData: true,
    summary: 'Labels of requisitions as PDF or ZPL file, or sent to the label printer',
    body: z.object({
      reqIds: requiredIds('Requisition'),
      labelType: z.enum(['BARCODE', 'CRYO'], { error: messages.invalid('labelType') }),
      output: z.enum(['PDF', 'ZPL', 'PRINTER'], { error: messages.invalid('output') }),
      /** The number of cryo labels for a requisition without `cryoPrintNbr`. */
      cryoCount: z
        .number({ error: labelMessages.cryoCount })
        .int(labelMessages.cryoCount)
        .min(1, labelMessages.cryoCount)
        .max(maxCryoLabels, labelMessages.cryoCount)
        .optional(),
    }),
    reply: one(printed),
  }),
}
