import { userRoutes } from '@lis/contract/users.ts'
import Button from '@mui/material/Button'
import Skeleton from '@mui/material/Skeleton'
import { styled } from '@mui/material/styles'
import { useQuery } from '@tanstack/react-query'
import { read } from '../../lib/query.ts'
import { useSession } from '../../lib/session.ts'
import { RetryIcon } from '../../ui/icons.tsx'
import { Logo } from '../../ui/logo.tsx'
import { useDocumentTitle } from '../../ui/page-header.tsx'

const Frame = styled('div')({
  flex: '1 1 auto',
  display: 'flex',
  flexDirection: 'column',
  alignItems: 'center',
  justifyContent: 'center',
  gap: 4,
  padding: '32px 32px 12vh',
  textAlign: 'center',
  '& h1': {
    marginTop: 20,
    fontSize: 20,
    lineHeight: '28px',
    fontWeight: 600,
    color: 'var(--text-strong)',
    textWrap: 'balance',
  },
})
const Name = styled('p')({
  minHeight: 28,
  display: 'flex',
  alignItems: 'center',
  gap: 8,
  fontSize: 14,
  lineHeight: '20px',
  color: 'var(--text-2)',
})

/** The front page, with the company's and the user's name. */
export const HomePage = () => {
  useDocumentTitle('Home')
  return (
    <Frame>
      <Logo size={56} />
      <h1>Welcome to Lab Information System (LIS)</h1>
      <UserName id={useSession()?.access.userId ?? 0} />
    </Frame>
  )
}

const UserName = ({ id }: { id: number }) => {
  const { data, isError, refetch } = useQuery(read(userRoutes.one, { params: { id } }))
  if (isError) {
    return (
      <Name role="alert">
        Your name could not be loaded.
        <Button startIcon={<RetryIcon />} onClick={() => refetch()}>
          Retry
        </Button>
      </Name>
    )
  }
  return (
    <Name>
      {data ? (
        `${data.data.userFirstName} ${data.data.userLastName}`
      ) : (
        <Skeleton width={120} height={8} variant="rectangular" />
      )}
    </Name>
  )
}
