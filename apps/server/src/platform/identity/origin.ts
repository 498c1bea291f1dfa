import type { FastifyRequest } from 'fastify'

/** Where an attempt came from, for the record. */
export interface Origin {
  ip: string
  userAgent: string | undefined
}

export const originOf = (request: FastifyRequest): Origin => ({
  ip: request.ip,
  userAgent: request.headers['user-agent'],
})
