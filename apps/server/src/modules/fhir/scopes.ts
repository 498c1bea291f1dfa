import type { Actor } from '../../platform/auth/actor.ts'

type Right = 'c' | 'r' | 'u' | 'd' | 's'

/** SMART version 1 in the letters of version 2. */
const version1: Record<string, string> = { read: 'rs', write: 'cud', '*': 'cruds' }

/** Whether the token allows something with a type. */
export const mayDo = ({ apiClient }: Actor, type: string, right: Right): boolean =>
  (apiClient?.scopes ?? []).some((scope) => {
    const [, of, may = ''] = /^system\/(\*|[A-Za-z]+)\.([a-z]+|\*)$/.exec(scope) ?? []
    return (of === '*' || of === type) && (version1[may] ?? may).includes(right)
  })
