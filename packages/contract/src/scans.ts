import { z } from 'zod'
import { one } from './kit/envelope.ts'
import { get } from './kit/route.ts'

const scanKinds = ['REQUISITION', 'TUBE', 'SAMPLE', 'BOX'] as const

const id = z.number().int()

/** What the code of a label stands for. */
const scanCode = z.object({
  kind: z.enum(scanKinds),
  id,
  /** Null for a box. */
  reqId: id.nullable(),
  /** Its page in the web application. */
  href: z.string(),
  label: z.string(),
})
export type ScanCode = z.infer<typeof scanCode>

export const scanRoutes = {
  code: get('scan_codes/:code', {
    access: 'profile.own',
    patientData: true,
    summary:
      'What a label stands for: an accession number, also with the suffix of a tube, a sample S-{id}, or a box B-{labId}-{freezer}-{shelf}-{rack}-{box}',
    params: z.object({ code: z.string().trim().min(1).max(200) }),
    reply: one(scanCode),
  }),
}
