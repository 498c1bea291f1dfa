import { can } from '@lis/contract/access/permissions.ts'
import { notificationRoutes, notificationTopic, unreadCount } from '@lis/contract/notifications.ts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { useLocation } from 'react-router'
import { serverEvents } from '../../lib/event-stream.ts'
import { read } from '../../lib/query.ts'
import { useRole, useSession } from '../../lib/session.ts'
import { useSave } from '../../lib/use-save.ts'

const { path } = notificationRoutes.list
const invalidates = [path]

const useUserId = () => useSession()?.access.userId ?? 0
const useMayRead = () => can(useRole(), 'notifications.read')

/** The requisitions whose issues concern the user, unread first. Not requested for roles without notifications. */
export const useNotifications = () => {
  const enabled = useMayRead()
  return useQuery({ ...read(notificationRoutes.list, { params: { userId: useUserId() } }), enabled })
}

/** Whether something is unread: read on load, on each navigation, and when the server reports a change. */
export const useHasUnread = (): boolean => {
  const client = useQueryClient()
  const mayRead = useMayRead()
  const { pathname } = useLocation()
  const lastPath = useRef(pathname)
  const { data } = useNotifications()
  useEffect(() => {
    if (lastPath.current === pathname) return
    lastPath.current = pathname
    client.invalidateQueries({ queryKey: [path] })
  }, [client, pathname])
  useEffect(() => {
    if (mayRead) return serverEvents.on(notificationTopic, () => client.invalidateQueries({ queryKey: [path] }))
  }, [client, mayRead])
  return data?.data.some((notification) => unreadCount(notification) > 0) ?? false
}

/** Marks all as read; those that have arrived since stay unread. */
export const useMarkAllRead = () => {
  const userId = useUserId()
  const save = useSave(notificationRoutes.readAll, { invalidates })
  return () => save({ params: { userId } })
}

/** Marks a requisition's issues as read. Navigation does not wait for it. */
export const useMarkRead = () => {
  const userId = useUserId()
  const save = useSave(notificationRoutes.read, { invalidates, isSilent: true })
  return (reqId: number) => {
    // The error has been announced; the dot stays.
    save({ params: { userId, reqId } }).catch(() => undefined)
  }
}
