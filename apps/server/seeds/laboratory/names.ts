/** Only letters that the built-in fonts of a PDF have; an underscore stands for a space inside a name. */
const words = (text: string): readonly string[] =>
  text
    .trim()
    .split(/\s+/)
    .map((word) => word.replace('_', ' '))

export const maleNames = words(`
  James Robert John Michael David William Richard Joseph Thomas Charles Daniel Matthew Anthony Mark Steven Paul Andrew Kenneth
  George Joshua Kevin Brian Edward Ronald Timothy Jason Jeffrey Ryan Jacob Gary Nicholas Eric Stephen Jonathan Larry Justin
  Scott Brandon Benjamin Samuel Gregory Frank Raymond Patrick Jack Dennis Jerry Tyler José Carlos Luis Miguel Jesús Andrés
  Javier Raúl Héctor Omar Ahmed Ibrahim Yusuf Hassan Wei Jun Minh Hiroshi Kenji Rajesh Arjun Vikram Sanjay Kwame Kofi DeShawn
  Jamal Malik Dmitri Sergei Oleg Pawel Marek Björn Lars Søren François René Giovanni Luca Matteo Seán Declan Ruairí
`)

export const femaleNames = words(`
  Mary Patricia Jennifer Linda Elizabeth Barbara Susan Jessica Karen Sarah Lisa Nancy Sandra Betty Ashley Emily Kimberly Margaret
  Donna Michelle Carol Amanda Melissa Deborah Stephanie Rebecca Sharon Laura Cynthia Dorothy Amy Kathleen Angela Shirley Emma
  Brenda Pamela Nicole Anna Samantha Katherine Christine Helen Debra Rachel Carolyn Janet Maria María Sofía Lucía Inés Guadalupe
  Rosa Carmen Ximena Fatima Aisha Leila Noor Mei Xiu Linh Yuki Sakura Priya Ananya Lakshmi Deepa Ama Abena Latoya Imani Keisha
  Olga Irina Svetlana Agnieszka Zofia Ingrid Astrid Åsa Renée Chloé Zoë Giulia Francesca Siobhán Niamh Aoife
`)

export const lastNames = words(`
  Smith Johnson Williams Brown Jones Garcia Miller Davis Rodríguez Martínez Hernández López González Wilson Anderson Thomas Taylor
  Moore Jackson Martin Lee Pérez Thompson White Harris Sánchez Clark Ramírez Lewis Robinson Walker Young Allen King Wright Scott
  Torres Nguyen Hill Flores Green Adams Nelson Baker Hall Rivera Campbell Mitchell Carter Roberts Gómez Phillips Evans Turner Díaz
  Parker Cruz Edwards Collins Reyes Stewart Morris Morales Murphy Cook Rogers Gutiérrez Ortiz Morgan Cooper Peterson Bailey Reed
  Kelly Howard Ramos Kim Cox Ward Richardson Watson Brooks Chávez Wood James Bennett Gray Mendoza Ruiz Hughes Price Álvarez
  Castillo Sanders Patel Myers Long Ross Foster Jiménez Powell Jenkins Perry Russell Sullivan Bell Coleman Butler Henderson Barnes
  Fisher Vásquez Simmons Romero Jordan Patterson Alexander Hamilton Graham Reynolds Griffin Wallace Moreno West Cole Hayes Bryant
  Herrera Gibson Ellis Tran Medina Aguilar Stevens Murray Ford Castro Marshall Owens Harrison Fernández McDonald Woods Washington
  Kennedy Wells Vargas Henry Chen Freeman Webb Tucker Guzmán Burns Crawford Olson Simpson Porter Hunter Gordon Méndez Silva Shaw
  Snyder Mason Dixon Muñoz Hunt Hicks Holmes Palmer Wagner Black Robertson Boyd Rose Stone Salazar Fox Warren Mills Meyer Rice
  Schmidt Garza Daniels Ferguson Nichols Stephens Soto Weaver Ryan Gardner Payne Grant Dunn Kelley Spencer Hawkins Arnold Pierce
  Hansen Peters Santos Hart Bradley Knight Elliott Cunningham Duncan Armstrong Hudson Carroll Lane Riley Andrews Alvarado Delgado
  Berry Perkins Hoffman Johnston Matthews Peña Richards Contreras Willis Carpenter Lawrence Sandoval O'Brien O'Connor O'Neill
  D'Angelo D'Souza Núñez Ibáñez Müller Schröder Größ Köhler Jäger Østergaard Sørensen Lindström Åkesson Dubois Lefèvre Bélanger
  Côté Gagné Conceição Gonçalves Araújo Yamamoto Takahashi Suzuki Tanaka Nakamura Wang Zhang Liu Huang Yang Chowdhury Rahman
  Hussain Khan Singh Kaur Sharma Gupta Iyer Reddy Okafor Adeyemi Mensah Boateng Kowalski Nowak Wójcik Ivanov Petrov Volkov Haddad
  Khoury Nasser Abboud Levy Cohen Rosenberg Van_Dyke St._Clair Al-Amin McIntyre MacLeod
`)

export const streetNames = words(`
  Maple Oak Cedar Pine Elm Walnut Chestnut Sycamore Juniper Laurel Magnolia Willow Birch Aspen Mesquite Palo_Verde Ocotillo Cactus
  Main Church Mill School Park Lake River Spring Highland Sunset Meadow Prospect Franklin Jefferson Lincoln Madison Monroe
  Jackson Washington Adams Grant Sherman Harrison Cleveland Market Broad Water Front Canal Harbor Mission Camelback Foothill
`)

export const streetKinds = ['St', 'Ave', 'Rd', 'Dr', 'Ln', 'Blvd', 'Way', 'Ct', 'Pl'] as const

/** Invented practices: a leading word and a kind give 600 different names. */
export const practiceWords = [
  'Desert Ridge',
  'Cedar Grove',
  'Harbor View',
  'Blue Mesa',
  'Lakeside',
  'Summit',
  'Prairie Winds',
  'Magnolia',
  'Riverbend',
  'Stonebridge',
  'Northgate',
  'Evergreen',
  'Copper Canyon',
  'Silver Creek',
  'Bayview',
  'Golden Plains',
  'Maple Street',
  'Union Square',
  'Red Rock',
  'Willow Park',
  "St. Brendan's",
  "O'Malley & Núñez",
  'Peña y Asociados',
  'Mission Hills',
  'Foxglove',
  'Granite Peak',
  'Old Mill',
  'Sandpiper',
  'Three Rivers',
  'Westbrook',
  'Kestrel',
  'Juniper Flats',
  'Hawthorne',
  'Bluegrass',
  'Tidewater',
  'Twin Oaks',
  'Saguaro',
  'Cascade',
  'Heritage',
  'Lighthouse',
] as const

export const practiceKinds = [
  'Family Medicine',
  'Internal Medicine',
  'Cardiology Associates',
  'Heart and Vascular Center',
  'Primary Care',
  'Endocrinology Group',
  'Wellness Center',
  'Medical Group',
  'Community Health Center',
  "Women's Health",
  'Preventive Cardiology',
  'Lipid Clinic',
  'Concierge Medicine',
  'Occupational Health',
  'Senior Care',
] as const

/** Two of the demo accounts belong to a physician and a sales person, who have the same name. */
export const accountNames = {
  physician: { first: 'Philip', last: 'Nakamura' },
  sales: { first: 'Salma', last: 'Reyes' },
} as const
