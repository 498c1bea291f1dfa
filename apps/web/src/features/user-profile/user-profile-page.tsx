import { type User, userLabels } from '@lis/contract/users.ts'
import { formatPhone } from '../../lib/formats.ts'
import { Card } from '../../ui/card.tsx'
import { EditLink } from '../../ui/form/edit-link.tsx'
import { InfoList } from '../../ui/form/info-list.tsx'
import { CardGrid, Loaded, RecordPage } from '../../ui/form/record-page.tsx'
import { Timestamp } from '../../ui/timestamp.tsx'
import { AppearanceCard } from './appearance-card.tsx'
import { ChangePasswordCard } from './change-password-card.tsx'
import { useOwnRecord } from './profile-query.ts'
import { SecondFactorCard } from './second-factor-card.tsx'
import { SessionsCard } from './sessions-card.tsx'

export const UserProfilePage = () => {
  const query = useOwnRecord()
  return (
    <RecordPage title="User Profile">
      <CardGrid>
        <div>
          <Card title="User Information" actions={<EditLink to="/user-profile/edit" />}>
            <Loaded query={query}>{({ data }) => <OwnInfo user={data} />}</Loaded>
          </Card>
          <SessionsCard />
        </div>
        <div>
          <ChangePasswordCard />
          <SecondFactorCard />
          <AppearanceCard />
        </div>
      </CardGrid>
    </RecordPage>
  )
}

const OwnInfo = ({ user }: { user: User }) => (
  <InfoList
    items={[
      [userLabels.userFirstName, user.userFirstName],
      [userLabels.userLastName, user.userLastName],
      [userLabels.userName, user.userName],
      [userLabels.userEmail, user.userEmail],
      [userLabels.userPhone, formatPhone(user.userPhone)],
      [userLabels.userRoleCode, user.userRoleDesc],
      [userLabels.entityName, user.entityName],
      [userLabels.depts, user.depts.map(({ deptName }) => deptName).join(', ')],
      [userLabels.lastLogonDate, user.lastLogonDate && <Timestamp at={user.lastLogonDate} />],
    ]}
  />
)
