"""Spanish, Spain. No numbers are kept free for fiction there; none that starts with 555 is given out."""

from worldwright.kinds.database.compile.values.locale import Locale, cities, phrases, words

_WOMEN = words("""
Lucía Sofía Martina María Julia Paula Valeria Emma Daniela Carla Alba Noa Sara Carmen Laura Claudia Irene Marta Elena
Ana Cristina Isabel Pilar Mercedes Dolores Rosario Teresa Concepción Josefa Antonia Francisca Raquel Silvia Patricia
Beatriz Rocío Mónica Nuria Montserrat Eva Inés Ángela Blanca Lorena Sonia Yolanda Susana Esther Alicia Begoña Ainhoa
Nerea Leire Itziar Mireia Laia Uxía Sabela Fátima Amina Ximena Valentina Camila Gabriela Ioana Mei Salma Vega
""")

_MEN = words("""
Hugo Mateo Martín Lucas Leo Daniel Alejandro Pablo Manuel Álvaro Adrián David Mario Diego Javier Sergio Marcos Carlos
Jorge Antonio José Francisco Juan Luis Miguel Rafael Pedro Ángel Ramón Fernando Alberto Roberto Enrique Vicente Andrés
Ignacio Jaime Joaquín Eduardo Gonzalo Guillermo Rubén Óscar Iván Raúl Víctor Jesús Santiago Emilio Julián Tomás Agustín
Íñigo Unai Iker Jon Jordi Oriol Pau Xavier Arnau Brais Anxo Youssef Omar Karim Nicolás Andrei Wei Santi
""")

_FAMILIES = words("""
García Rodríguez González Fernández López Martínez Sánchez Pérez Gómez Martín Jiménez Hernández Ruiz Díaz Moreno Muñoz
Álvarez Romero Gutiérrez Alonso Navarro Torres Domínguez Ramos Vázquez Ramírez Gil Serrano Morales Molina Blanco Suárez
Castro Ortega Delgado Ortiz Marín Rubio Núñez Medina Sanz Castillo Iglesias Cortés Garrido Santos Guerrero Lozano Cano
Cruz Méndez Flores Prieto Herrera Peña León Márquez Cabrera Gallego Calvo Vidal Campos Reyes Vega Fuentes Carrasco Díez
Aguilar Caballero Nieto Santana Vargas Pascual Giménez Herrero Hidalgo Montero Lorenzo Santiago Benítez Durán Ibáñez
Arias Mora Ferrer Carmona Vicente Rojas Soto Crespo Román Pastor Velasco Parra Sáez Moya Bravo Rivera Gallardo Soler
Esteban Silva Pardo Franco Rivas Espinosa Merino Camacho Lara Izquierdo Rey Casado Vera Pons Puig Serra Roca Ferré
Etxeberria Agirre Goikoetxea Mendizábal Otero Piñeiro Bouzas Haddad Benali Popescu Chen
""")

_CITIES = cities("""
Madrid | Comunidad de Madrid | 2800%,2801#,2802#,2803#,2804# | 555 01# ###
Barcelona | Cataluña | 0800%,0801#,0802#,0803# | 555 02# ###
Valencia | Comunidad Valenciana | 4600%,4601#,4602# | 555 03# ###
Sevilla | Andalucía | 4100%,4101# | 555 04# ###
Zaragoza | Aragón | 5000%,5001# | 555 05# ###
Málaga | Andalucía | 2900%,2901# | 555 06# ###
Murcia | Región de Murcia | 3000%,3001# | 555 07# ###
Palma | Islas Baleares | 0700%,0701# | 555 08# ###
Bilbao | País Vasco | 4800%,4801# | 555 09# ###
Alicante | Comunidad Valenciana | 0300%,0301# | 555 10# ###
Córdoba | Andalucía | 1400%,1401# | 555 11# ###
Valladolid | Castilla y León | 4700%,4701# | 555 12# ###
Vigo | Galicia | 3620%,3621# | 555 13# ###
Gijón | Asturias | 3320%,3321# | 555 14# ###
A Coruña | Galicia | 1500%,1501# | 555 15# ###
Granada | Andalucía | 1800%,1801# | 555 16# ###
Santander | Cantabria | 3900%,3901# | 555 17# ###
Pamplona | Navarra | 3100%,3101# | 555 18# ###
San Sebastián | País Vasco | 2000%,2001# | 555 19# ###
Salamanca | Castilla y León | 3700% | 555 20# ###
Logroño | La Rioja | 2600% | 555 21# ###
""")

_STREETS = phrases("""
Mayor; Real; Nueva; Ancha; Larga; del Sol; de la Luna; de la Paz; de la Libertad; de la Constitución; de la Estación
de la Iglesia; de la Fuente; del Molino; del Carmen; del Pilar; del Prado; del Puerto; del Mercado; de los Olivos
de los Naranjos; de los Almendros; de las Flores; de las Huertas; de las Eras; de Alcalá; de Toledo; de Cervantes
de Goya; de Velázquez; de Colón; de Ramón y Cajal; de Lope de Vega; de Quevedo; de Antonio Machado; de Rosalía de Castro
de San Juan; de San Pedro; de San Antonio; de Santa Ana; de Santa María; de Santa Teresa; de Andalucía; de Castilla
de Galicia; de Europa; de la Industria; del Comercio
""")

_ROOTS = words("""
Novatec Iberluz Altamar Solverde Montesur Aquamarina Peñalba Riofrío Costaverde Arcadia Brisamar Castelmar Duernova
Ebrosur Fontanar Galerna Hispalia Iridio Jarama Kintela Levantina Mesetaria Nortelia Olivares Pirineo Quercus Roblenor
Serranía Tajomar Umbría Valdeoro Xilema Yucatán Zafirel Albufera Bahíasol Cantalar Deltamar Encinares Fresnedal
Guadianor
Horizonte Isleña Juncal Lumbreras Marismas Naranjal Oleandro Pinares Ribera Salinera Tramontana Ultramar Veredas Zarzal
Almazara Bidasoa Celtibera Doñana Espliego Turia Vivaldor Nervión Galaica Sorolla
""")

_ROOT_TRADES = phrases("""
Logística; Transportes; Distribución; Embalajes; Ofimática; Suministros; Industrial; Mecánica; Electricidad; Fontanería
Climatización; Construcción; Obras; Reformas; Carpintería; Metal; Plásticos; Química; Farma; Salud; Óptica; Laboratorios
Instrumentos; Automatismos; Robótica; Informática; Sistemas; Redes; Software; Datos; Consultores; Formación; Seguridad
Limpiezas; Energía; Solar; Medio Ambiente; Reciclaje; Agroalimentaria; Alimentación; Bebidas; Conservas
Catering; Viajes
Ocio; Deportes; Juguetes; Ediciones; Medios; Comunicación; Diseño; Arquitectura; Ingeniería; Inmobiliaria; Seguros
Inversiones; Comercial; Importaciones; Servicios; Textil; Moda; Mobiliario; Decoración; Papelera; Gráficas
""")

_FAMILY_TRADES = phrases("""
Talleres; Transportes; Hermanos; Carpintería; Imprenta; Panadería; Construcciones; Reformas; Pinturas; Fontanería
Electricidad; Instalaciones; Cerrajería; Metalúrgica; Fundiciones; Mecanizados; Automóviles; Neumáticos
Viveros; Bodegas
Quesería; Embutidos; Pastelería; Cafés; Cervecería; Librería; Papelería; Cartonajes; Embalajes; Textiles; Hilaturas
Confecciones; Calzados; Muebles; Ebanistería; Cristalería; Cerámicas; Azulejos; Ferretería; Herramientas; Materiales
Excavaciones; Jardinería; Semillas; Ganadería; Pescados; Conservas; Harinas; Aceites; Jabones; Perfumería; Óptica
Laboratorios; Farmacia; Ambulancias; Mudanzas; Viajes; Autocares; Limpiezas; Gestoría; Asesoría; Bufete; Suministros
Almacenes; Distribuciones
""")

LOCALE = Locale(
    code="es_ES",
    country="Spain",
    dial="+34",
    women=_WOMEN,
    men=_MEN,
    families=_FAMILIES,
    cities=_CITIES,
    street_names=_STREETS,
    street_types=words("Calle Calle Calle Avenida Avenida Plaza Paseo"),
    street_form="{type} {name}, {n}",
    last_house=110,
    units=phrases("%º A; %º B; %º C; bajo; bajo izquierda"),
    mobiles=("555 60# ###", "555 61# ###"),
    roots=_ROOTS,
    root_trades=_ROOT_TRADES,
    family_trades=_FAMILY_TRADES,
    family_first=False,
    suffixes=phrases("S.L.; S.A.; S.L.U.; S.Coop."),
)
