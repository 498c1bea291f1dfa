import { createHash } from 'node:crypto'
import type { Resource } from '@medplum/fhirtypes'
import type { BaseRow, FhirType } from './definition.ts'
import type { Reader } from './reader.ts'

/** The resource of a row, with a version that changes with its content. */
export const makeResource = (definition: FhirType, row: BaseRow, reader: Reader): Resource => {
  const resource = definition.toResource(row, reader)
  const { meta, ...content } = resource
  const versionId = createHash('sha256').update(JSON.stringify(content)).digest('hex').slice(0, 16)
  return { ...resource, meta: { versionId, ...meta } } as Resource
}

export const etagOf = (resource: Resource) => `W/"${resource.meta?.versionId}"`
