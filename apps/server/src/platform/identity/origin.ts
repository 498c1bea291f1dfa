import type { FastifyRequest } from 'fastify'

/** Where a sign-in attempt came from, for the audit. */
export interface Origin {
  ip: string
  userAgent: string | undefined
  /** The cookie of a browser that has signed in here before. */
  device?: string | undefined
}

export const deviceCookie = 'lis-device'
const deviceIn = new RegExp(`(?:^|; ?)${deviceCookie}=([\\w-]{43})(?:;|$)`)

export const originOf = (request: FastifyRequest): Origin => ({
  ip: request.ip,
  userAgent: request.headers['user-agent'],
  device: deviceIn.exec(request.headers.cookie ?? '')?.[1],
})
