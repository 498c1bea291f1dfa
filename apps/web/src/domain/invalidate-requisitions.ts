import type { QueryClient } from '@tanstack/react-query'

/**
 * Invalidates all queries of requisitions: a changed status must not be shown as it was. Active queries are read again at once, unless the
 * screen already shows the change (`isShown`).
 */
export const invalidateRequisitions = (client: QueryClient, { isShown = false } = {}) =>
  client.invalidateQueries({
    predicate: ({ queryKey: [path] }) => typeof path === 'string' && path.startsWith('requisitions/'),
    ...(isShown && { refetchType: 'none' }),
  })
