import type { OperationOutcome, OperationOutcomeIssue } from '@medplum/fhirtypes'

type IssueCode = NonNullable<OperationOutcomeIssue['code']>

/** A fault that is answered with an OperationOutcome. */
export class FhirFault extends Error {
  readonly status: number
  readonly issues: OperationOutcomeIssue[]
  readonly headers: Record<string, string>

  constructor(status: number, issues: OperationOutcomeIssue[], headers: Record<string, string> = {}) {
    super(issues.map(({ diagnostics }) => diagnostics).join('; '))
    this.status = status
    this.issues = issues
    this.headers = headers
  }
}

export const issue = (code: IssueCode, diagnostics: string, expression?: string): OperationOutcomeIssue => ({
  severity: 'error',
  code,
  diagnostics,
  ...(expression && { expression: [expression] }),
})

export const outcomeOf = (issues: OperationOutcomeIssue[]): OperationOutcome => ({
  resourceType: 'OperationOutcome',
  issue: issues,
})

const fault = (status: number, code: IssueCode, words: string, expression?: string) =>
  new FhirFault(status, [issue(code, words, expression)])

export const badRequest = (words: string, expression?: string) => fault(400, 'invalid', words, expression)
export const unknownResource = (words: string) => fault(404, 'not-found', words)
export const notOffered = (words: string, allowed: string) =>
  new FhirFault(405, [issue('not-supported', words)], { allow: allowed })
export const missingScope = (words: string) => fault(403, 'forbidden', words)
export const preconditionFailed = (words: string) => fault(412, 'conflict', words)
