import { type Hl7Message, unescapeText } from '../../platform/hl7/message.ts'

/** The fields that are read, with their display names. */
const names: Record<string, string> = {
  'MSH-3': 'Sender',
  'MSH-4': 'Sending facility',
  'MSH-7': 'Sent',
  'MSH-9': 'Type',
  'MSH-10': 'Control id',
  'MSH-11': 'Processing id',
  'MSH-12': 'Version',
  'MSH-18': 'Character set',
  'PID-3': 'MRN',
  'PID-5': 'Name',
  'PID-7': 'Born',
  'PID-8': 'Sex',
  'PID-11': 'Address',
  'PID-13': 'Home phone',
  'PID-14': 'Work phone',
  'MRG-1': 'MRN given up',
  'ORC-1': 'Order control',
  'ORC-2': 'Their order',
  'ORC-4': 'Their group',
  'ORC-7': 'Timing',
  'ORC-12': 'Ordered by',
  'ORC-21': 'Ordering facility',
  'OBR-4': 'Test',
  'OBR-7': 'Collected',
  'OBR-13': 'Clinical information',
  'OBR-16': 'Ordered by',
  'OBR-27': 'Timing',
  'SPM-17': 'Collected',
  'TQ1-9': 'Priority',
  'OBX-3': 'Question',
  'OBX-5': 'Answer',
  'DG1-3': 'ICD',
  'IN1-1': 'Insurance',
  'IN1-3': 'Payer',
  'IN1-4': 'Payer name',
  'IN1-8': 'Group',
  'IN1-16': 'Insured',
  'IN1-18': 'Insured born',
  'IN1-36': 'Policy',
  'GT1-3': 'Guarantor',
  'GT1-5': 'Guarantor address',
  'GT1-8': 'Guarantor born',
  'GT1-9': 'Guarantor sex',
  'GT1-11': 'Relation',
  'NTE-3': 'Note',
  'MSA-1': 'Answer',
  'MSA-2': 'Answered',
}

/** Every non-empty field of the message, in order; fields that are not read have no name. */
export const describeFields = (message: Hl7Message): { path: string; name: string; value: string }[] =>
  message.segments.flatMap(({ name, fields }) =>
    fields.flatMap((raw, index) => {
      const isDelimiter = name === 'MSH' && index < 2
      const path = `${name}-${index + 1}`
      if (raw === '' || isDelimiter) return []
      return [{ path, name: names[path] ?? '', value: unescapeText(message, raw) }]
    }),
  )
