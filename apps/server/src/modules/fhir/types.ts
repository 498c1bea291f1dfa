import { coverageType } from './coverage.ts'
import type { FhirType } from './definition.ts'
import { diagnosticReportType } from './diagnostic-report.ts'
import { observationType } from './observation.ts'
import { locationType, organizationType } from './organization.ts'
import { patientType } from './patient.ts'
import { practitionerType } from './practitioner.ts'
import { serviceRequestType } from './service-request.ts'
import { specimenType } from './specimen.ts'
import { taskType } from './task.ts'
import type { FhirTypeName } from './type-names.ts'

/** The types that can be searched; Binary is only read. */
export const fhirTypes: Readonly<Record<Exclude<FhirTypeName, 'Binary'>, FhirType>> = {
  Patient: patientType,
  Practitioner: practitionerType,
  Organization: organizationType,
  Location: locationType,
  ServiceRequest: serviceRequestType,
  Specimen: specimenType,
  Observation: observationType,
  DiagnosticReport: diagnosticReportType,
  Task: taskType,
  Coverage: coverageType,
}

export const findType = (name: string): FhirType | undefined => fhirTypes[name as keyof typeof fhirTypes]
