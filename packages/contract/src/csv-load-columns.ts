import type { LoadType } from './csv-loads.ts'

/** A column of a load file: the API's name of the field. */
export interface LoadColumn {
  name: string
  isRequired: boolean
  example: string
  /** Can be used instead of that column. */
  alternativeTo: string | null
}

const must = (name: string, example: string): LoadColumn => ({ name, isRequired: true, example, alternativeTo: null })
const may = (name: string, example = '', alternativeTo: string | null = null): LoadColumn => ({
  name,
  isRequired: false,
  example,
  alternativeTo,
})

/** The levels of a control. */
export const qcLevels = [1, 2, 3, 4] as const

/** The columns of each load type; used by templates, header checks and the load. */
export const loadColumns: Record<LoadType, readonly LoadColumn[]> = {
  REQUISITION: [
    must('colaId', '1'),
    must('clientId', '12'),
    may('legacyClientId', '', 'clientId'),
    must('orderingClientPhysId', '34'),
    may('npiNumber', '', 'orderingClientPhysId'),
    must('eventId', '5'),
    must('labId', '1'),
    may('extOrderId', 'A-20931'),
    may('extAccessionId'),
    must('patientFirstName', 'Maria'),
    may('patientMiddleName'),
    must('patientLastName', 'Lopez'),
    must('patientGenderCode', 'FEMALE'),
    must('patientDob', '04/17/1968'),
    may('patientRaceCode', 'WHITE'),
    may('patientEthnicityCode', 'HISP'),
    may('patientSsn'),
    must('dateCollected', '11/02/2026 08:15'),
    may('collectCode', 'VENI'),
    may('collectedBy', 'J. Reed'),
    may('isFasting', '1'),
    may('sbp', '128'),
    may('dbp', '82'),
    may('isSmoker', '0'),
    may('isDiabetic', '0'),
    may('isFamilyHistory', '1'),
    may('isCovidVac', '1'),
    may('famHistT2DCode', 'SIBLING'),
    may('isSelfT2DGest', '0'),
    may('weight', '162'),
    may('weightUom', 'LBS'),
    may('heightInches', '65'),
    may('heightCm'),
    may('heightUom', 'INCH'),
    may('testCodes', 'LIPID;A1C'),
  ],
  RESULT: [
    must('reqId', '1000123'),
    must('testCode', 'HDL'),
    must('result', '52.4'),
    must('processDate', '11/03/2026 14:05'),
    may('isConfirmed', '0'),
    may('reagent'),
  ],
  CLIENT: [
    may('legacyClientId', 'C-0420'),
    must('clientName', 'Lakeside Family Medicine'),
    may('clientExtId'),
    must('clientAddr1', '410 Lake Ave'),
    may('clientAddr2'),
    must('clientCountryId', '1'),
    must('clientCity', 'Madison'),
    must('clientStateId', '49'),
    must('clientZip', '53703'),
    must('clientPhone', '16085550142'),
    may('clientEmail', 'office@lakeside.example'),
    may('clientFaxEmail'),
    must('colaId', '1'),
    must('clientBillTypeCode', 'INSURANCE'),
    must('clientTransmitMethodCode', 'PORTAL'),
    may('clientReqTypeCode', 'PAPER'),
    may('clientPortalPrefCode', 'RELEASED'),
    must('labIds', '1'),
    may('salesIds', '3'),
    may('serviceId'),
    may('isContractPhleb', '0'),
    may('clientName2'),
    may('clientPhone2'),
    may('clientEmail2'),
    may('clientDeliveryNote'),
    may('clientNote'),
  ],
  PHYSICIAN: [
    must('physFirstName', 'Alan'),
    may('physMiddleName'),
    must('physLastName', 'Whitfield'),
    must('physTitle', 'MD'),
    must('npiNumber', '1234567893'),
    may('ptanNumber'),
    may('physPortalPrefCode', 'RELEASED'),
    may('clientIds', '12'),
    may('legacyClientId', '', 'clientIds'),
  ],
  // A row is a run: a lot and a value for each level that was measured.
  QC: [
    must('instrument', 'Analyser 1'),
    must('testCode', 'A1C'),
    must('ranAt', '11/18/2026 06:10'),
    may('operator', 's.tech'),
    may('runNo'),
    ...qcLevels.flatMap((level) => [may(`lot${level}`), may(`value${level}`)]),
  ],
}
