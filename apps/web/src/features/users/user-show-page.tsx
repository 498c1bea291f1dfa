import { type User, userLabels } from '@lis/contract/users.ts'
import { styled } from '@mui/material/styles'
import { ResourceShowPage } from '../../domain/resource/resource-show-page.tsx'
import { formatPhone } from '../../lib/formats.ts'
import { Card } from '../../ui/card.tsx'
import { Banner } from '../../ui/form/banner.tsx'
import { InfoList } from '../../ui/form/info-list.tsx'
import { CardGrid } from '../../ui/form/record-page.tsx'
import { Timestamp } from '../../ui/timestamp.tsx'
import { AccessCard } from './access-card.tsx'
import { LockOutBanner, ResetPasswordButton, ResetSecondFactorButton } from './account-actions.tsx'
import { users } from './user-resource.ts'
import { UserStatusSwitch } from './user-status-switch.tsx'
import { ViewAsButton } from './view-as-button.tsx'

export const UserShowPage = () => (
  <ResourceShowPage resource={users} titleOf={({ userFirstName, userLastName }) => `${userFirstName} ${userLastName}`}>
    {(user) => <Cards user={user} />}
  </ResourceShowPage>
)

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
          ['Created', <Timestamp key="created" at={user.userCreateDate} />],
          [userLabels.lastLogonDate, user.lastLogonDate && <Timestamp at={user.lastLogonDate} />],
        ]}
      />
    </Card>
    <div>
      <Card
        title="Account"
        actions={
          <>
            <ViewAsButton user={user} />
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
      <AccessCard user={user} />
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
      The temporary password {isOver ? 'ran out' : 'is valid until'} <Timestamp at={until} />
      {isOver ? '. Reset the password to let this person in.' : '.'}
    </Banner>
  )
}
