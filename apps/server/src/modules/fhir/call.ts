import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Actor } from '../../platform/auth/actor.ts'
import type { Services } from '../../platform/services.ts'
import type { Reader } from './reader.ts'

export interface FhirDeps {
  services: Services
  authenticate: (request: FastifyRequest) => Promise<Actor | null>
}

/** A call with its caller. */
export interface FhirCall extends FhirDeps {
  actor: Actor
  reader: Reader
  request: FastifyRequest
  reply: FastifyReply
}
