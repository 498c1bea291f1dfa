import { describe, expect, it } from 'vitest'
import { layouts, makePdf, makeReport, makeScan, type ReportPerson } from '../../../test/report-files.ts'
import type { GuardRecord } from './queries.ts'
import { readContent } from './read-content.ts'
import { canBeFiled, compareWithRecord, numbersIn } from './service.ts'

const names: [string, string, string?][] = [
  ['Maria', 'Lopez'],
  ['José', 'García-Márquez'],
  ['Siobhán', "O'Brien"],
  ['Ann', 'Long', 'Beth'],
  ['Zoë', 'Müller'],
  ['Jean-Luc', 'de la Cruz'],
  ['Robert', 'Smith Jr'],
  ['Nguyen', 'Van An'],
  ['Øyvind', 'Sørensen'],
  ['Mei', 'Li'],
]
const day = (index: number) =>
  `${1931 + ((index * 7) % 80)}-${two(1 + ((index * 5) % 12))}-${two(1 + ((index * 11) % 28))}`
const two = (number: number) => String(number).padStart(2, '0')

const people = Array.from({ length: 40 }, (_, index): ReportPerson & { middleName?: string } => {
  const [firstName, lastName, middleName] = names[index % names.length] as [string, string, string?]
  return { reqId: 1_000_101 + index * 3, firstName, lastName, dob: day(index), ...(middleName && { middleName }) }
})
const known = new Set(people.map(({ reqId }) => reqId))
const recordOf = ({ reqId, firstName, middleName = null as never, lastName, dob }: ReportPerson): GuardRecord => ({
  reqId,
  firstName,
  middleName,
  lastName,
  dob,
  extIds: [],
})

const read = async (bytes: Buffer) => readContent(new Uint8Array(bytes), 'pdf')
const isFiled = async (bytes: Buffer, person: ReportPerson, type: 'REPORT' | 'SCANREQ' = 'REPORT') => {
  const content = await read(bytes)
  const existing = new Set(numbersIn(content).filter((number) => known.has(number)))
  return canBeFiled(type, compareWithRecord(content, recordOf(person), existing))
}
const other = (person: ReportPerson) => people[(people.indexOf(person) + 1) % people.length] as ReportPerson

/** Each makes a report that must not be filed under `person`, though its file bears that number. */
const mismatches: Record<string, (person: ReportPerson, layout: string) => Promise<Buffer>> = {
  'another patient altogether': (person, layout) => makeReport(other(person), layout),
  'another patient under the right number': (person, layout) =>
    makeReport({ ...other(person), reqId: person.reqId }, layout),
  'same last name and birth date': (person, layout) => makeReport({ ...person, firstName: 'Berenice' }, layout),
  'father and son: same name, other birth date': (person, layout) =>
    makeReport(
      { ...person, dob: `19${two((Number(person.dob.slice(2, 4)) + 27) % 100)}${person.dob.slice(4)}` },
      layout,
    ),
  'two digits of the birth year changed places': (person, layout) =>
    makeReport({ ...person, dob: `${Number(person.dob.slice(0, 4)) + 9}${person.dob.slice(4)}` }, layout),
  'the last name one letter off': (person, layout) =>
    makeReport({ ...person, lastName: `${person.lastName}a` }, layout),
  'a longer family name': (person, layout) => makeReport({ ...person, lastName: `${person.lastName} Ortega` }, layout),
  'a longer first name': (person, layout) => makeReport({ ...person, firstName: `Mary ${person.firstName}` }, layout),
  // After the first name it would be taken for a middle name.
  'a family name with another ahead': (person) =>
    makeReport({ ...person, lastName: `Garcia ${person.lastName}` }, 'labels'),
  'the first name one letter short': (person, layout) =>
    makeReport({ ...person, firstName: person.firstName.slice(0, -1) }, layout),
  'another requisition of the same patient': (person, layout) =>
    makeReport({ ...person, reqId: other(person).reqId }, layout),
  'no number': (person) =>
    makePdf((page) => page.text(`Patient: ${person.firstName} ${person.lastName}  DOB: ${person.dob}`)),
  'no birth date': (person) =>
    makePdf((page) => page.text(`Requisition #${person.reqId}\nPatient: ${person.firstName} ${person.lastName}`)),
  'no name': (person) => makePdf((page) => page.text(`Requisition #${person.reqId}\nDOB: ${person.dob}`)),
  'a year of two digits': (person) =>
    makePdf((page) =>
      page.text(
        `Requisition #${person.reqId}\nPatient: ${person.firstName} ${person.lastName}  DOB: 04/17/${person.dob.slice(2, 4)}`,
      ),
    ),
  'two patients in one file': (person, layout) =>
    makePdf((page) => {
      layouts[layout]?.(person)(page)
      page.addPage()
      layouts[layout]?.({ ...other(person) })(page)
    }),
  'a scan without text': () => makeScan(null),
  'a scan with the right bar code and no text': ({ reqId }) => makeScan(String(reqId)),
  'a scan with the bar code of another': (person) => makeScan(String(other(person).reqId)),
}

describe('the wrong-patient guard, measured', () => {
  const layoutNames = Object.keys(layouts)

  it('files the right report in every layout', async () => {
    const missed: string[] = []
    for (const [index, person] of people.entries())
      for (const layout of layoutNames)
        if (!(await isFiled(await makeReport(person, layout), person)))
          missed.push(`${layout} ${index} ${person.lastName}`)
    expect(missed).toEqual([])
  })

  it.each(Object.keys(mismatches))(
    'never files: %s',
    async (kind) => {
      const misfiled: string[] = []
      for (const [index, person] of people.entries()) {
        const layout = layoutNames[index % layoutNames.length] as string
        const bytes = await (mismatches[kind] as (typeof mismatches)[string])(person, layout)
        if (await isFiled(bytes, person))
          misfiled.push(`${layout} ${person.firstName} ${person.lastName} ${person.dob}`)
      }
      expect(misfiled).toEqual([])
    },
    60_000,
  )

  const named = (line: string, { reqId, dob }: ReportPerson) =>
    makePdf((page) => page.text(`No. ${reqId}\n${line}\nDOB: ${dob}`))

  it.each([
    'Ms. Maria Lopez',
    'Name: Maria Lopez',
    '0042 Maria Lopez',
    'Report for Maria Lopez',
    'Lopez, Maria',
    'Patient Maria Lopez',
    'Re: patient Maria Lopez',
    'Pt Lopez, Maria',
    'Patient Name (Last, First): Lopez, Maria',
    'Patient Name (Last, First, MI): Lopez, Maria',
    'Patient Name (First Last): Maria Lopez',
    'Patient: Prof. Maria Lopez',
    'Patient: Rev. Maria Lopez',
    'Patient: Master Maria Lopez',
    'Patient: Mstr. Lopez, Maria',
    'Patient: A123 Lopez, Maria',
  ])('files a report that names its patient as "%s"', async (line) => {
    const [person] = people as [ReportPerson]
    expect(await isFiled(await named(line, person), person)).toBe(true)
  })

  it.each([
    'Patient Ana Maria Lopez',
    'Patient Maria Lopez Ortega',
    'Pt Garcia Lopez, Maria',
    'Patient: Mi Maria Lopez',
    'Patient: Al1ce Maria Lopez',
    'Patient Name (Last, First): Garcia Lopez, Maria',
    'Patient: Prof. Ana Maria Lopez',
    'Patient: Maria Lopez Master',
  ])('does not file a report that names its patient as "%s"', async (line) => {
    const [person] = people as [ReportPerson]
    expect(await isFiled(await named(line, person), person)).toBe(false)
  })

  it.each([
    ['Patient Name (Last, First): Lopez, Maria', 'Patient Name (Last, First): Lopez, Ana'],
    ['Patient Maria Lopez', 'Patient Ana Lopez'],
    ['Pt Lopez, Maria', 'Re: patient Ana Ruiz'],
  ])('does not file two reports in one file that say "%s" and "%s"', async (one, two) => {
    const [person] = people as [ReportPerson]
    const both = await makePdf((page) => {
      page.text(`No. ${person.reqId}\n${one}\nDOB: ${person.dob}\nPatient was fasting`)
      page.addPage().text(two)
    })
    expect(await isFiled(both, person)).toBe(false)
  })

  it('files a report with a sentence about its patient', async () => {
    const [person] = people as [ReportPerson]
    const bytes = await named('Patient Maria Lopez\nPatient was fasting\nPatient instructions enclosed', person)
    expect(await isFiled(bytes, person)).toBe(true)
  })

  it('files scanned requisitions by their name unless the content contradicts it', async () => {
    const [person] = people as [ReportPerson]
    expect(await isFiled(await makeScan(null), person, 'SCANREQ')).toBe(true)
    expect(await isFiled(await makeScan(String(person.reqId)), person, 'SCANREQ')).toBe(true)
    expect(await isFiled(await makeScan(String(other(person).reqId)), person, 'SCANREQ')).toBe(false)
    expect(await isFiled(await makeReport(other(person)), person, 'SCANREQ')).toBe(false)
  })
})
