import { lookupRoutes } from '@lis/contract/lookups.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { read } from '../../lib/query.ts'
import { Card } from '../../ui/card.tsx'
import { InfoList } from '../../ui/form/info-list.tsx'
import { Loaded, RecordPage } from '../../ui/form/record-page.tsx'
import { BoardsCard } from './boards-card.tsx'
import { TargetsCard } from './targets-card.tsx'

/** The laboratories of the network; there are few, so each is a card. */
export const LabsPage = () => (
  <RecordPage title="Laboratories">
    <TargetsCard />
    <BoardsCard />
    <Loaded query={useQuery(read(lookupRoutes.labs, { query: {} }))}>
      {({ data }) =>
        data.map(({ id, labCode, labName, labTz }) => (
          <Card key={id} title={labName} actions={<Link to={`/labs/${id}/show`}>Open {labName}</Link>}>
            <InfoList
              items={[
                ['Code', labCode],
                ['Timezone', labTz],
              ]}
            />
          </Card>
        ))
      }
    </Loaded>
  </RecordPage>
)
