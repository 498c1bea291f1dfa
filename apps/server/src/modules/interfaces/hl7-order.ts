import {
  componentOf,
  explicitNull,
  fieldValue,
  findSegment,
  type Hl7Message,
  rawField,
  repetitions,
  type Segment,
} from '../../platform/hl7/message.ts'
import { parseHl7Time } from '../../platform/hl7/timestamps.ts'
import { readPatient } from './hl7-patient.ts'
import { type OrderControl, type OrderGroup, orderGroups } from './hl7-structure.ts'
import type {
  IncomingCode,
  IncomingGuarantor,
  IncomingInsurance,
  IncomingOrder,
  IncomingPerson,
  IncomingTest,
} from './incoming-order.ts'

interface OrderedTest {
  orc: Segment
  obr: Segment
}

/** Reads an ORM^O01 or OML^O21 without errors. */
export const readOrder = (message: Hl7Message): IncomingOrder => {
  const groups = orderGroups(message)
  const tests = groups.flatMap(({ orc, tests: all }) => all.map((obr) => ({ orc, obr })))
  const first = (groups[0] as OrderGroup).orc
  const placers = [...new Set(groups.map(({ orc }) => fieldValue(message, orc, 2)))]
  const collected = collectionTime(message, tests)
  return {
    control: fieldValue(message, first, 1) as OrderControl,
    placers,
    extOrderId: [fieldValue(message, first, 4), ...placers].find(isGiven) ?? '',
    clientCodes: [fieldValue(message, first, 21, 10), fieldValue(message, first, 21, 3)].filter(isGiven),
    patient: readPatient(message, findSegment(message, 'PID') as Segment),
    physician: firstPerson(message, groups, tests),
    collected: collected.time,
    isFasting: readFasting(message, tests),
    isStat: groups.some((group) => isGroupStat(message, group)),
    icds: all(message, 'DG1').flatMap((segment) => {
      const code = fieldValue(message, segment, 3)
      return isGiven(code)
        ? [{ code, name: fieldValue(message, segment, 3, 2) || fieldValue(message, segment, 4) }]
        : []
    }),
    insurances: all(message, 'IN1').map((segment, index) => readInsurance(message, segment, index)),
    guarantor: readGuarantor(message, findSegment(message, 'GT1')),
    notes: all(message, 'NTE')
      .map((segment) =>
        repetitions(message, segment, 3)
          .map((one) => componentOf(message, one, 1))
          .join('\n'),
      )
      .filter(isGiven),
    tests: tests.map(
      ({ orc, obr }): IncomingTest => ({
        placer: fieldValue(message, orc, 2),
        codes: codesOf(message, obr),
        path: 'OBR-4',
      }),
    ),
    paths: {
      client: 'ORC-21',
      physician: 'ORC-12',
      patient: 'PID-3',
      name: 'PID-5',
      dob: 'PID-7',
      sex: 'PID-8',
      collected: collected.path,
    },
  }
}

const isGiven = (text: string) => text !== '' && text !== explicitNull

const all = ({ segments }: Hl7Message, name: string) => segments.filter((segment) => segment.name === name)

const codesOf = (message: Hl7Message, obr: Segment): IncomingCode[] =>
  [1, 4].flatMap((at) => {
    const code = fieldValue(message, obr, 4, at)
    if (!isGiven(code)) return []
    return [{ code, name: fieldValue(message, obr, 4, at + 1), system: fieldValue(message, obr, 4, at + 2) }]
  })

/** The time of the specimen is more exact. */
const collectionTime = (message: Hl7Message, tests: readonly OrderedTest[]) => {
  const places = [
    ...all(message, 'SPM').map((segment) => ({ segment, field: 17 })),
    ...tests.map(({ obr }) => ({ segment: obr, field: 7 })),
  ]
  for (const { segment, field } of places) {
    const time = parseHl7Time(fieldValue(message, segment, field))?.dateTime
    if (time) return { time, path: `${segment.name}-${field}` }
  }
  return { time: null, path: 'OBR-7' }
}

const firstPerson = (
  message: Hl7Message,
  groups: readonly OrderGroup[],
  tests: readonly OrderedTest[],
): IncomingPerson | null => {
  const places = [
    ...groups.map(({ orc }) => repetitions(message, orc, 12)),
    ...tests.map(({ obr }) => repetitions(message, obr, 16)),
  ]
  for (const repeated of places) {
    const people = repeated.map((one) => {
      const value = (component: number) => {
        const text = componentOf(message, one, component)
        return isGiven(text) ? text : ''
      }
      return { npi: value(1), lastName: value(2), firstName: value(3), kind: value(13) || value(9) }
    })
    const person = people.find(({ kind, npi }) => kind === 'NPI' && npi !== '') ?? people[0]
    if (person && (person.npi !== '' || person.lastName !== '')) return person
  }
  return null
}

/** LOINC of the question whether the patient has fasted. */
const fastingQuestion = '49541-6'

const readFasting = (message: Hl7Message, tests: readonly OrderedTest[]): boolean | null => {
  const answer = all(message, 'OBX').find((segment) => fieldValue(message, segment, 3) === fastingQuestion)
  const said = fieldValue(message, answer, 5).toUpperCase()
  if (said === 'Y' || said === 'N') return said === 'Y'
  // Table 0916.
  const coded = tests.map(({ obr }) => fieldValue(message, obr, 13)).find((code) => code === 'F' || code === 'NF')
  return coded === undefined ? null : coded === 'F'
}

const isStat = (message: Hl7Message, segment: Segment, field: number, component: number) =>
  repetitions(message, segment, field).some((one) => componentOf(message, one, component) === 'S')

const isGroupStat = (message: Hl7Message, { orc, tests, details }: OrderGroup) =>
  isStat(message, orc, 7, 6) ||
  tests.some((obr) => isStat(message, obr, 27, 6)) ||
  details.some((segment) => segment.name === 'TQ1' && isStat(message, segment, 9, 1))

const readInsurance = (message: Hl7Message, segment: Segment, index: number): IncomingInsurance => {
  const value = (field: number, component = 1) => {
    const text = fieldValue(message, segment, field, component)
    return isGiven(text) ? text : ''
  }
  return {
    order: Number(rawField(segment, 1)) || index + 1,
    companyNo: value(3),
    companyName: value(4),
    groupNo: value(8),
    holder: [value(16, 2), value(16)].filter(Boolean).join(' '),
    insuredDob: parseHl7Time(value(18))?.date ?? null,
    policyNo: value(36),
  }
}

/** Table 0063: the relationship of the guarantor to the patient. */
const relations: Record<string, string> = {
  SEL: 'SELF',
  SPO: 'SPOUSE',
  DOM: 'SPOUSE',
  CHD: 'DEP',
  DEP: 'DEP',
  FCH: 'DEP',
  GCH: 'DEP',
  NCH: 'DEP',
  SCH: 'DEP',
  WRD: 'DEP',
  PAR: 'PARENT',
  FTH: 'PARENT',
  MTH: 'PARENT',
  GRD: 'GUARD',
}

const readGuarantor = (message: Hl7Message, segment: Segment | undefined): IncomingGuarantor | null => {
  if (!segment) return null
  const value = (field: number, component = 1) => {
    const text = fieldValue(message, segment, field, component)
    return isGiven(text) ? text : ''
  }
  const relation = value(11)
  const [lastName, firstName] = [value(3), value(3, 2)]
  const address = [1, 2, 3, 4, 5].map((component) => value(5, component))
  const [addr1 = '', addr2 = '', city = '', state = '', zip = ''] = address
  const sex = value(9)
  return {
    lastName,
    firstName,
    dob: parseHl7Time(value(8))?.date ?? null,
    sex: sex === 'M' ? 'MALE' : sex === 'F' ? 'FEMALE' : null,
    addr1,
    addr2,
    city,
    state,
    zip,
    relation: relation === '' ? null : (relations[relation] ?? 'OTHER'),
    text: [[lastName, firstName].filter(Boolean).join(', '), ...address, relation].filter(Boolean).join(', '),
  }
}
