import type { QueryClient } from '@tanstack/react-query'

/**
 * Everything that was read of requisitions is old, in lists and on their pages: nobody should meet an old status a moment after it changed.
 * What is on screen is read again at once, unless the screen shows the change already (`isShown`).
 */
export const outdateRequisitions = (client: QueryClient, { isShown = false } = {}) =>
  client.invalidateQueries({
    predicate: ({ queryKey: [path] }) => typeof path === 'string' && path.startsWith('requisitions/'),
    ...(isShown && { refetchType: 'none' }),
  })
