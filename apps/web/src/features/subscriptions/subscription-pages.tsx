import { userRoutes } from '@lis/contract/users.ts'
import { styled } from '@mui/material/styles'
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useParams } from 'react-router'
import { call } from '../../lib/api.ts'
import { runOnce } from '../../lib/query.ts'
import { Logo } from '../../ui/logo.tsx'
import { useNotify } from '../../ui/notices.tsx'
import { useDocumentTitle } from '../../ui/page-header.tsx'
import { Spinner } from '../../ui/spinner.tsx'

const Frame = styled('div')({
  flex: '1 1 auto',
  minHeight: '60vh',
  display: 'flex',
  flexDirection: 'column',
  alignItems: 'center',
  justifyContent: 'center',
  gap: 8,
  padding: 32,
  textAlign: 'center',
  '& h1': { marginTop: 16, fontSize: 20, lineHeight: '28px', fontWeight: 600, color: 'var(--text-strong)' },
  '& p': {
    minHeight: 20,
    maxWidth: 400,
    fontSize: 13,
    lineHeight: '20px',
    color: 'var(--text-2)',
    textWrap: 'balance',
  },
})

type SubscriptionRoute = typeof userRoutes.unsubscribe | typeof userRoutes.resubscribe

/** The page of a mail link: calls the server at once, and shows its answer. */
const SubscriptionPage = ({ title, route }: { title: string; route: SubscriptionRoute }) => {
  useDocumentTitle(title)
  const { token = '' } = useParams()
  const notify = useNotify()
  // A query, although it writes: it runs once per token however often React mounts the page.
  const { data, error } = useQuery({
    queryKey: [route.path, token],
    queryFn: () => call(route, { params: { token } }),
    ...runOnce,
  })
  useEffect(() => {
    if (error) notify.error(error.message)
  }, [error, notify])
  return (
    <Frame>
      <Logo size={40} />
      <h1>{title}</h1>
      <p role="status">{data?.message ?? error?.message ?? <Spinner role="img" aria-label="Please wait" />}</p>
    </Frame>
  )
}

export const UnsubscribePage = () => <SubscriptionPage title="Unsubscribe" route={userRoutes.unsubscribe} />
export const ResubscribePage = () => <SubscriptionPage title="Resubscribe" route={userRoutes.resubscribe} />
