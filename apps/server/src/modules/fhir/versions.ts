import { createHash } from 'node:crypto'
import type { Resource } from '@medplum/fhirtypes'
import type { BaseRow, FhirType } from './definition.ts'
import type { Reader } from './reader.ts'

export const versionOf = (content: string) => createHash('sha256').update(content).digest('hex').slice(0, 16)

/** The resource of a row, with a version derived from its content. */
export const makeResource = (definition: FhirType, row: BaseRow, reader: Reader): Resource => {
  const resource = definition.toResource(row, reader)
  const { meta, ...content } = resource
  const versionId = versionOf(JSON.stringify(content))
  return { ...resource, meta: { versionId, ...meta } } as Resource
}

export const etagOf = (resource: Resource) => `W/"${resource.meta?.versionId}"`

/** Whether a list of entity tags contains this one. */
export const namesTag = (list: string, tag: string): boolean =>
  list
    .split(',')
    .map((one) => one.trim().replace(/^W\//, ''))
    .some((one) => tag !== '' && (one === '*' || one === tag.slice(2)))
