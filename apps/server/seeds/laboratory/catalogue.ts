import type { PoolClient } from 'pg'
import { type InsuranceCompanySeed, type PanelSeed, readSeedData, type TestSeed } from '../seed-data.ts'

export interface CatalogueTest extends TestSeed {
  id: number
}

interface IssueType {
  id: number
  code: string
  description: string
  reporter: number
  resolver: number
}

export interface InsuranceCompany extends InsuranceCompanySeed {
  id: number
}

/** The lookups as the generator needs them: content from the files, ids from the database. */
export interface Catalogue {
  tests: ReadonlyMap<string, CatalogueTest>
  panels: ReadonlyMap<string, PanelSeed & { id: number }>
  departmentId: (code: string) => number
  flagId: (code: string) => number
  reasonId: (code: string) => number
  noteTypeId: (code: string) => number
  programId: (code: string) => number
  countryId: (iso2: string) => number
  stateId: (iso2: string, code: string) => number
  icdId: (code: string) => number
  issueTypes: ReadonlyMap<string, IssueType>
  insuranceCompanies: readonly InsuranceCompany[]
}

export const readCatalogue = async (client: PoolClient): Promise<Catalogue> => {
  const ids = async (table: string, key = 'code') => idLookup(client, table, key)
  const testId = await ids('test')
  const panelId = await ids('panel')
  const companyId = await ids('insurance_company', 'name')
  const stateIds = await idLookup(
    client,
    'state s join country c on c.id = s.country_id',
    "c.iso2 || ' ' || s.code",
    's.id',
  )
  const issueTypes = await client.query<IssueType>(
    'select id, code, description, reporter_department_id as reporter, resolver_department_id as resolver from issue_type',
  )
  return {
    tests: new Map(
      readSeedData<TestSeed>('tests').map((test) => [test.testCode, { ...test, id: testId(test.testCode) }]),
    ),
    panels: new Map(
      readSeedData<PanelSeed>('panels').map((panel) => [panel.panelCode, { ...panel, id: panelId(panel.panelCode) }]),
    ),
    departmentId: await ids('department'),
    flagId: await ids('flag'),
    reasonId: await ids('reason'),
    noteTypeId: await ids('lab_note_type'),
    programId: await ids('program'),
    countryId: await ids('country', 'iso2'),
    stateId: (iso2, code) => stateIds(`${iso2} ${code}`),
    icdId: await ids('icd'),
    issueTypes: new Map(issueTypes.rows.map((row) => [row.code, row])),
    insuranceCompanies: readSeedData<InsuranceCompanySeed>('insurance-companies').map((company) => ({
      ...company,
      id: companyId(company.name),
    })),
  }
}

const idLookup = async (client: PoolClient, from: string, key: string, id = 'id') => {
  const { rows } = await client.query<{ id: number; key: string }>(`select ${id} as id, ${key} as key from ${from}`)
  const known = new Map(rows.map((row) => [row.key, row.id]))
  return (wanted: string): number => {
    const found = known.get(wanted)
    if (found === undefined)
      throw new Error(`The lookups have no ${from} ${wanted}; run seedLookups before the demo data`)
    return found
  }
}
