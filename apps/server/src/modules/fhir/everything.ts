import type { Bundle } from '@medplum/fhirtypes'
import type { FhirCall } from './call.ts'
import { readRows, selectKeys, subjectsOf } from './definition.ts'
import { badRequest, unknownResource } from './faults.ts'
import type { Loaded } from './includes.ts'
import { mayDo } from './scopes.ts'
import { fhirTypes } from './types.ts'
import { makeResource } from './versions.ts'

/** With more resources about one patient, the client has to search. */
const mostOfType = 5000

/** Everything about one patient that the token may read, in one Bundle. */
export const findEverything = async (call: FhirCall, id: string): Promise<Bundle> => {
  const { reader, actor, services, request } = call
  const { Patient: patientType, ...others } = fhirTypes
  const key = patientType.keyOf(id)
  const patients = key === null ? [] : await readRows(patientType, reader, [key])
  if (patients.length === 0) throw unknownResource(`Patient/${id.slice(0, 64)} is not known`)
  const loaded: Loaded[] = [{ definition: patientType, rows: patients }]
  for (const definition of Object.values(others)) {
    const { patient } = definition.params
    if (!patient || !mayDo(actor, definition.type, 'r')) continue
    const keys = await selectKeys(definition, reader, {
      where: [...definition.where(reader), patient.condition({ values: [`Patient/${id}`], modifier: null }, reader)],
      order: definition.keyed?.order ?? definition.key,
      limit: mostOfType + 1,
    })
    if (keys.length > mostOfType)
      throw badRequest(
        `More than ${mostOfType} resources of ${definition.type} are about this patient: search for them`,
      )
    loaded.push({ definition, rows: await readRows(definition, reader, keys) })
  }
  for (const { definition, rows } of loaded) services.accessLog.note(request.id, subjectsOf(definition, rows))
  const entry = loaded.flatMap(({ definition, rows }) =>
    rows.map((row) => {
      const resource = makeResource(definition, row, reader)
      const fullUrl = `${reader.base}/${resource.resourceType}/${resource.id}`
      return { fullUrl, resource, search: { mode: 'match' as const } }
    }),
  )
  return {
    resourceType: 'Bundle',
    type: 'searchset',
    timestamp: new Date().toISOString(),
    total: entry.length,
    link: [{ relation: 'self', url: `${reader.base}/Patient/${id}/$everything` }],
    entry,
  }
}
