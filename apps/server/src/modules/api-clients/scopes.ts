const letters = 'cruds'
const version1: Record<string, string> = { read: 'rs', write: 'cud', '*': letters }

interface FhirScope {
  type: string
  may: string
}

const fhirScope = (scope: string): FhirScope | null => {
  const [, type, may] = /^system\/(\*|[A-Za-z]+)\.([a-z]+|\*)$/.exec(scope) ?? []
  if (type === undefined || may === undefined) return null
  const meant = version1[may] ?? may
  return /^c?r?u?d?s?$/.test(meant) ? { type, may: meant } : null
}

/** The scopes that a client gets: those it asked for, limited to those it is allowed. */
export const grantScopes = (asked: readonly string[], allowed: readonly string[]): string[] => [
  ...new Set(asked.flatMap((scope) => grantOne(scope, allowed))),
]

const grantOne = (scope: string, allowed: readonly string[]): string[] => {
  if (allowed.includes(scope)) return [scope]
  const wanted = fhirScope(scope)
  if (!wanted) return []
  const parts = allowed.flatMap((one) => {
    const given = fhirScope(one)
    if (!given || (given.type !== wanted.type && given.type !== '*' && wanted.type !== '*')) return []
    const may = [...wanted.may].filter((letter) => given.may.includes(letter)).join('')
    return may === '' ? [] : [{ type: wanted.type === '*' ? given.type : wanted.type, may }]
  })
  const isWhole = parts.some(({ type, may }) => type === wanted.type && may === wanted.may)
  return isWhole ? [scope] : parts.map(({ type, may }) => `system/${type}.${may}`)
}
