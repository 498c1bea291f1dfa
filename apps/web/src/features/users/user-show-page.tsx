import { can } from '@lis/contract/access/permissions.ts'
import { type User, userLabels, userRoutes } from '@lis/contract/users.ts'
import { styled } from '@mui/material/styles'
import { useQuery } from '@tanstack/react-query'
import { useParams } from 'react-router'
import { formatPhone } from '../../lib/formats.ts'
import { read } from '../../lib/query.ts'
import { useRole } from '../../lib/session.ts'
import { Card } from '../../ui/card.tsx'
import { Banner } from '../../ui/form/banner.tsx'
import { EditLink } from '../../ui/form/edit-link.tsx'
import { InfoList } from '../../ui/form/info-list.tsx'
import { CardGrid, Loaded, MissingRecord, RecordPage } from '../../ui/form/record-page.tsx'
import { Moment } from '../../ui/moment.tsx'
import { LockOutBanner } from './lock-out-banner.tsx'
import { ResetPasswordButton } from './reset-password-button.tsx'
import { ResetSecondFactorButton } from './reset-second-factor-button.tsx'
import { UserStatusSwitch } from './user-status-switch.tsx'

export const UserShowPage = () => {
  const id = Number(useParams().id)
  const query = useQuery(read(userRoutes.one, { params: { id } }))
  const mayEdit = can(useRole(), 'users.write')
  const user = query.data?.data
  return (
    <RecordPage
      title={user ? `${user.userFirstName} ${user.userLastName}` : 'User'}
      action={user && mayEdit && <EditLink variant="contained" color="primary" to={`/users/${user.id}`} />}
    >
      <Loaded query={query} missing={<MissingRecord list={{ to: '/users', label: 'Users' }} />}>
        {({ data }) => <Cards user={data} />}
      </Loaded>
    </RecordPage>
  )
}

const Banners = styled('div')({ display: 'grid', gap: 8, '&:not(:empty)': { marginBottom: 12 } })

const Cards = ({ user }: { user: User }) => (
  <CardGrid>
    <Card title="User Information">
      <InfoList
        items={[
          [userLabels.userName, <strong key="name">{user.userName}</strong>],
          [userLabels.userFirstName, user.userFirstName],
          [userLabels.userLastName, user.userLastName],
          [userLabels.userEmail, user.userEmail],
          [userLabels.userPhone, formatPhone(user.userPhone)],
          [userLabels.userRoleCode, user.userRoleDesc],
          [userLabels.entityName, user.entityName],
          [userLabels.isSubscribed, user.isSubscribed === 1 ? 'Yes' : 'No'],
          ['Created', <Moment key="created" at={user.userCreateDate} />],
          [userLabels.lastLogonDate, user.lastLogonDate && <Moment at={user.lastLogonDate} />],
        ]}
      />
    </Card>
    <div>
      <Card
        title="Account"
        actions={
          <>
            <ResetSecondFactorButton user={user} />
            <ResetPasswordButton user={user} />
          </>
        }
      >
        <Banners>
          {user.lockedUntilDate && <LockOutBanner user={user} until={user.lockedUntilDate} />}
          {user.tempPwdExpiredDate && <TemporaryPassword until={user.tempPwdExpiredDate} />}
        </Banners>
        <InfoList items={[[userLabels.userStatusCode, <UserStatusSwitch key="status" user={user} />]]} />
      </Card>
      <Card title={userLabels.depts}>
        {user.depts.length === 0 ? (
          '–'
        ) : (
          <ul>
            {user.depts.map((dept) => (
              <li key={dept.deptId}>{dept.deptName}</li>
            ))}
          </ul>
        )}
      </Card>
    </div>
  </CardGrid>
)

const TemporaryPassword = ({ until }: { until: string }) => {
  const isOver = new Date(until) <= new Date()
  return (
    <Banner type={isOver ? 'warning' : 'info'}>
      The temporary password {isOver ? 'ran out' : 'is valid until'} <Moment at={until} />
      {isOver ? '. Reset the password to let this person in.' : '.'}
    </Banner>
  )
}
