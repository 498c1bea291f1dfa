import type { InterfaceMessageDetail, ProblemCode, ReprocessInput } from '@lis/contract/interfaces.ts'
import { codeMeaning, orderableKey } from './orderables.ts'

/** What a person has decided about a held message, before anything is written. */
export interface Decision {
  /** The test or panel of each code of the partner. */
  codes: Readonly<Record<string, string>>
  physId: number | null
  patient: number | 'new' | null
}

type Problem = InterfaceMessageDetail['problems'][number]

/** Codes are preset with suggestions; a patient is never preset. */
export const firstDecision = ({ suggestions, problems }: InterfaceMessageDetail): Decision => ({
  codes: Object.fromEntries(
    problems
      .filter(({ code }) => code === 'UNKNOWN_TEST')
      .map(({ value }) => {
        const suggested = suggestions.find(({ code }) => code === value)
        return [value, suggested ? orderableKey(suggested) : '']
      }),
  ),
  physId: null,
  patient: null,
})

export const isAboutPhysician = ({ code, path }: Problem) =>
  code === 'UNKNOWN_PHYSICIAN' || (code === 'MISSING_FIELD' && /^(ORC-12|OBR-16|ServiceRequest\.requester)/.test(path))

/** Whether the decision answers the problem. */
const isAnswered = (problem: Problem, { codes, physId, patient }: Decision): boolean => {
  if (problem.code === 'UNKNOWN_TEST') return Boolean(codes[problem.value])
  if (isAboutPhysician(problem)) return physId !== null
  if (problem.code === 'PATIENT_CONFLICT') return patient !== null
  // The button says that it approves.
  return problem.code === 'NEEDS_APPROVAL'
}

export const remainingProblems = ({ problems }: InterfaceMessageDetail, decision: Decision): Problem[] =>
  problems.filter((problem) => !isAnswered(problem, decision))

const has = ({ problems }: InterfaceMessageDetail, code: ProblemCode) => problems.some((one) => one.code === code)

export const reprocessBody = (
  message: InterfaceMessageDetail,
  decision: Decision,
  alsoSame: boolean,
): ReprocessInput => {
  const codes = Object.entries(decision.codes).flatMap(([code, key]) => (key ? [codeMeaning(code, key)] : []))
  return {
    ...(codes.length > 0 && { codes }),
    physId: decision.physId,
    patientId: typeof decision.patient === 'number' ? decision.patient : null,
    newPatient: decision.patient === 'new' ? 1 : 0,
    approve: has(message, 'NEEDS_APPROVAL') ? 1 : 0,
    alsoSame: alsoSame ? 1 : 0,
  }
}
