import countries from 'country-region-data/data.json' with { type: 'json' }
import { type InsuranceCompanySeed, type PanelSeed, readSeedData, type TestSeed } from './seed-data.ts'

type Row = Record<string, unknown>

/** Every lookup row as it is stored, in the order of the ids. A start writes only if the hash of all rows has changed. */
export const buildLookupRows = () => ({
  lov: lovs(),
  country: countries.map((country) => ({ iso2: country.countryShortCode, long_name: country.countryName })),
  state: states(),
  department: readSeedData<{ deptCode: string; deptName: string; sortOrder: number }>('departments').map((row) => ({
    code: row.deptCode,
    name: row.deptName,
    sort_order: row.sortOrder,
  })),
  issue_type: issueTypes(),
  lab_note_type: labNoteTypes(),
  reason: reasons(),
  flag: flags(),
  program: programs(),
  test: readSeedData<TestSeed>('tests').map(testRow),
  panel: readSeedData<PanelSeed>('panels').map((row) => ({
    code: row.panelCode,
    description: row.panelDesc,
    sort_order: row.sortOrder,
  })),
  panel_test: readSeedData<PanelSeed>('panels').flatMap((row) =>
    row.testCodes.map((test) => ({ owner: row.panelCode, test })),
  ),
  test_combo: testCombos().map((row) => ({
    code: row.testComboCode,
    description: row.testComboDesc,
    sort_order: row.sortOrder,
  })),
  test_combo_test: testCombos().flatMap((row) => row.testCodes.map((test) => ({ owner: row.testComboCode, test }))),
  icd: readSeedData<{ icdCode: string; icdDesc: string; icdGroup: string }>('icd10').map((row) => ({
    code: row.icdCode,
    description: row.icdDesc,
    icd_group: row.icdGroup,
  })),
  report_definition: [...reportDefinitions('QA', 'qa-reports'), ...reportDefinitions('SUMMARY', 'summary-reports')],
  insurance_company: readSeedData<InsuranceCompanySeed>('insurance-companies').map((row) => ({
    name: row.name,
    payer_no: row.payerNo,
  })),
})

export type LookupRows = ReturnType<typeof buildLookupRows>

const lovs = () =>
  readSeedData<{ lovType: string; code: string; description: string; sortOrder: number; isDefault: 0 | 1 }>('lovs').map(
    (row) => ({
      type_code: row.lovType,
      code: row.code,
      description: row.description,
      sort_order: row.sortOrder,
      is_default: row.isDefault === 1,
    }),
  )

/** A few small territories come without a short code; their name is the only stable key they have. */
const states = () =>
  countries.flatMap((country) =>
    country.regions.map((region) => ({
      iso2: country.countryShortCode,
      code: ('shortCode' in region && region.shortCode) || region.name,
      long_name: region.name,
    })),
  )

interface IssueTypeSeed {
  issueCode: string
  issueDesc: string
  reporterDeptCode: string
  resolverDeptCode: string
  raisedBy: string
  sortOrder: number
}

const issueTypes = () =>
  readSeedData<IssueTypeSeed>('issue-types').map((row) => ({
    code: row.issueCode,
    description: row.issueDesc,
    reporter: row.reporterDeptCode,
    resolver: row.resolverDeptCode,
    is_raised_by_system: row.raisedBy === 'SYSTEM',
    sort_order: row.sortOrder,
  }))

const labNoteTypes = () =>
  readSeedData<{ labNoteTypeCode: string; labNoteTypeDesc: string; isPrinted: 0 | 1; sortOrder: number }>(
    'lab-note-types',
  ).map((row) => ({
    code: row.labNoteTypeCode,
    description: row.labNoteTypeDesc,
    is_printed: row.isPrinted === 1,
    sort_order: row.sortOrder,
  }))

interface ReasonSeed {
  reasonTypeCode: 'PASS' | 'FAIL'
  code: string
  passDesc?: string
  failDesc?: string
  scope: string
  effect: string
  isComment?: 1
  sortOrder: number
}

const reasons = () =>
  readSeedData<ReasonSeed>('reasons').map((row) => ({
    type_code: row.reasonTypeCode,
    code: row.code,
    description: row.passDesc ?? row.failDesc,
    scope: row.scope,
    effect: row.effect,
    is_comment: row.isComment === 1,
    sort_order: row.sortOrder,
  }))

const flags = () =>
  readSeedData<{ flagCode: string; flagDesc: string; color: string; setBy: string; sortOrder: number }>('flags').map(
    (row) => ({
      code: row.flagCode,
      description: row.flagDesc,
      color: row.color,
      is_set_by_system: row.setBy === 'SYSTEM',
      sort_order: row.sortOrder,
    }),
  )

const programs = () =>
  readSeedData<{ programCode: string; programName: string; isDefault: 0 | 1; sortOrder: number }>('programs').map(
    (row) => ({
      code: row.programCode,
      name: row.programName,
      is_default: row.isDefault === 1,
      sort_order: row.sortOrder,
    }),
  )

const testCombos = () =>
  readSeedData<{ testComboCode: string; testComboDesc: string; testCodes: string[]; sortOrder: number }>('test-combos')

const testRow = (test: TestSeed): Row => ({
  code: test.testCode,
  description: test.testDesc,
  result_key: test.resultKey,
  reagent_key: test.reagentKey,
  unit: test.units,
  cpt_code: test.cptCode,
  loinc_code: test.loincCode,
  result_kind: test.resultKind,
  options: test.options,
  allowed_text: test.allowedText,
  significant_digits: test.significantDigits,
  is_calculated: test.isCalculated === 1,
  formula: test.formula,
  validity: test.validity,
  on_missing_input: test.onMissingInput,
  on_invalid: test.onInvalid,
  reject_lo: test.plausibility.rejectLo,
  reject_hi: test.plausibility.rejectHi,
  confirm_lo: test.plausibility.confirmLo,
  confirm_hi: test.plausibility.confirmHi,
  delta_kind: test.deltaCheck?.kind ?? null,
  delta_limit: test.deltaCheck?.limit ?? null,
  delta_within_days: test.deltaCheck?.withinDays ?? null,
  report_lo: test.reportLo,
  report_hi: test.reportHi,
  m_normal_lo: test.mNormalLo,
  m_normal_hi: test.mNormalHi,
  m_border_lo: test.mBorderLo,
  m_border_hi: test.mBorderHi,
  m_unfav_lo: test.mUnfavLo,
  m_unfav_hi: test.mUnfavHi,
  f_normal_lo: test.fNormalLo,
  f_normal_hi: test.fNormalHi,
  f_border_lo: test.fBorderLo,
  f_border_hi: test.fBorderHi,
  f_unfav_lo: test.fUnfavLo,
  f_unfav_hi: test.fUnfavHi,
  interpretation_labels: test.interpretationLabels,
  specimen_type_codes: test.specimenTypeCodes,
  range_source: test.rangeSource,
  sort_order: test.sortOrder,
})

const reportDefinitions = (kind: 'QA' | 'SUMMARY', file: string) =>
  readSeedData<{ reportCode: string; reportDesc: string; sortOrder: number }>(file).map((row) => ({
    kind,
    code: row.reportCode,
    description: row.reportDesc,
    definition: row,
    sort_order: row.sortOrder,
  }))
