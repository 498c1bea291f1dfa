import { type Collaborator, collaboratorLabels as label } from '@lis/contract/collaborators.ts'
import { formatPhone } from '../../lib/formats.ts'
import { Card } from '../../ui/card.tsx'
import { InfoList } from '../../ui/form/info-list.tsx'
import { CardGrid } from '../../ui/form/record-page.tsx'
import { Logo } from './report-logo-field.tsx'

const yesNo = (flag: 0 | 1) => (flag === 1 ? 'Yes' : 'No')

/** The collaborator's identity, report settings and contact data (COL-G5). */
export const CollaboratorCards = ({ collaborator: cola }: { collaborator: Collaborator }) => (
  <CardGrid>
    <div>
      <Card title="Info">
        <InfoList
          items={[
            [label.colaName, cola.colaName],
            [label.colaAlias, cola.colaAlias],
            [label.colaLabDirector, cola.colaLabDirector],
            [label.colaLabNpi, cola.colaLabNpi],
            [label.colaBillTypeCode, cola.colaBillTypeDesc],
            [label.isLisInterface, yesNo(cola.isLisInterface)],
            [label.isOrderIdAvailable, yesNo(cola.isOrderIdAvailable)],
            [label.colaPortalPrefCode, cola.colaPortalPrefDesc],
            [label.colaNote, cola.colaNote],
          ]}
        />
      </Card>
      <Card title="Reports Information">
        <InfoList
          items={[
            [label.colaTransmitMethodCode, cola.colaTransmitMethodDesc],
            [label.reportDeliverToCode, cola.reportDeliverToDesc],
            ['Name Format', cola.reportNameFormatDesc],
            [label.templateFilename, cola.templateFilename],
            [label.idPrintOutCode, cola.idPrintoutDesc],
            [label.colaDeliveryNote, cola.colaDeliveryNote],
            [label.reportWording, cola.reportWording],
            [label.reportLogo, cola.reportLogo && <Logo src={cola.reportLogo} name={cola.colaName} />],
          ]}
        />
      </Card>
    </div>
    <Card title="Contact">
      <InfoList
        items={[
          [label.colaAddr1, cola.colaAddr1],
          [label.colaAddr2, cola.colaAddr2],
          [label.colaCity, cola.colaCity],
          [label.colaStateId, cola.colaState],
          [label.colaZip, cola.colaZip],
          [label.colaCountryId, cola.colaCountry],
          [label.colaPhone, formatPhone(cola.colaPhone)],
          [label.colaEmail, cola.colaEmail],
          [label.colaFaxEmail, cola.colaFaxEmail],
          [label.fax, formatPhone(cola.fax)],
          [label.colaOfficeContact, cola.colaOfficeContact],
          [label.cola2ndContact, cola.cola2ndContact],
        ]}
      />
    </Card>
  </CardGrid>
)
