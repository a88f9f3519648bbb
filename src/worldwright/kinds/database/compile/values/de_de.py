"""German, Germany. Phone numbers are in the ranges that the Bundesnetzagentur keeps free for film and television.

Only five cities have such a range; the others use the nearest of them.
"""

from worldwright.kinds.database.compile.values.locale import Locale, cities, phrases, words

_WOMEN = words("""
Anna Lena Laura Lea Julia Sarah Katharina Hannah Marie Sophie Johanna Clara Charlotte Emilia Mia Greta Frieda Ida
Mathilda Paula Luisa Elisabeth Franziska Theresa Verena Stefanie Melanie Nicole Sandra Tanja Claudia Sabine Petra Monika
Birgit Andrea Susanne Martina Ute Heike Karin Ursula Renate Ingrid Gisela Helga Brigitte Anke Silke Anja Kerstin Ayşe
Elif Zeynep Fatma Merve Dilara Olga Natalia Katarzyna Agnieszka Ivana Jelena Giulia Thuy Amina Leyla Jördis Käthe
""")

_MEN = words("""
Lukas Leon Finn Paul Jonas Elias Felix Maximilian Noah Ben Moritz Jakob Anton Emil Karl Friedrich Johannes Philipp
Tobias Sebastian Florian Fabian Dominik Christian Stefan Markus Thomas Andreas Matthias Martin Michael Jürgen Klaus
Wolfgang Dieter Bernd Uwe Rainer Holger Torsten Jörg Günter Werner Helmut Hans Heinz Gerhard Manfred Rolf Volker Ralf
Frank Sven Jan Lars Mehmet Mustafa Ahmet Emre Can Deniz Sergej Dmitri Piotr Marek Goran Luka Marco Minh Karim Yusuf
Björn Sören
""")

_FAMILIES = words("""
Müller Schmidt Schneider Fischer Weber Meyer Wagner Becker Schulz Hoffmann Schäfer Koch Bauer Richter Klein Wolf
Schröder Neumann Schwarz Zimmermann Braun Krüger Hofmann Hartmann Lange Schmitt Werner Krause Meier Lehmann Schmid
Schulze Maier Köhler Herrmann König Walter Mayer Huber Kaiser Fuchs Peters Lang Scholz Möller Weiß Jung Hahn Schubert
Vogel Friedrich Keller Günther Frank Berger Winkler Roth Beck Lorenz Baumann Franke Albrecht Schuster Simon Ludwig
Böhm Winter Kraus Martin Schumacher Krämer Vogt Stein Jäger Otto Sommer Groß Seidel Heinrich Brandt Haas Schreiber Graf
Schulte Dietrich Ziegler Kuhn Kühn Pohl Engel Horn Busch Bergmann Thomas Voigt Sauer Arnold Wolff Pfeiffer Yılmaz Kaya
Demir Şahin Çelik Öztürk Aydın Arslan Nowak Kowalski Wójcik Petrović Jovanović Novak Ivanov Popov Rossi Russo Nguyen
Tran Haddad Mansour Hassan Silva Lindner Ritter Kessler Brinkmann Hagedorn Steinbach Lüdtke Petersen Hansen Jansen
""")

_CITIES = cities("""
Berlin | Berlin | 101##,104##,109##,120## | 030 23125###
Hamburg | Hamburg | 200##,203##,222## | 040 66969###
München | Bayern | 803##,806##,815## | 089 99998###
Köln | Nordrhein-Westfalen | 506##,508##,509## | 0221 4710###
Frankfurt am Main | Hessen | 603##,604##,605## | 069 90009###
Stuttgart | Baden-Württemberg | 701##,703##,705## | 089 99998###
Düsseldorf | Nordrhein-Westfalen | 402##,404##,405## | 0221 4710###
Leipzig | Sachsen | 041##,042##,043## | 030 23125###
Dresden | Sachsen | 010##,011##,013## | 030 23125###
Hannover | Niedersachsen | 301##,304##,306## | 040 66969###
Nürnberg | Bayern | 904## | 089 99998###
Bremen | Bremen | 281##,282##,283## | 040 66969###
Dortmund | Nordrhein-Westfalen | 441##,442##,443## | 0221 4710###
Essen | Nordrhein-Westfalen | 451##,452##,453## | 0221 4710###
Mannheim | Baden-Württemberg | 681##,682##,683## | 069 90009###
Karlsruhe | Baden-Württemberg | 761##,762## | 069 90009###
Freiburg im Breisgau | Baden-Württemberg | 790##,791## | 069 90009###
Münster | Nordrhein-Westfalen | 481## | 0221 4710###
Kiel | Schleswig-Holstein | 241## | 040 66969###
Rostock | Mecklenburg-Vorpommern | 180##,181## | 040 66969###
Erfurt | Thüringen | 990## | 069 90009###
Kassel | Hessen | 341## | 069 90009###
""")

_STREETS = words("""
Haupt Bahnhof Schul Garten Linden Kirch Berg Wald Ring Dorf Wiesen Mühlen Goethe Schiller Mozart Beethoven Birken Eichen
Buchen Ahorn Tannen Rosen Park Feld Sonnen Brunnen Kloster Markt Industrie Werk Hafen Ufer Markgrafen Kaiser Königs
Friedrich Wilhelm Luther Lessing Kant Humboldt Siemens Gutenberg Kepler Blumen Kastanien Ulmen Post Burg Schloss
""")

_ROOTS = words("""
Nordwerk Südkraft Elbtal Rheinpunkt Alpenblick Hansatec Lichtfeld Steinhof Brückner Falkenau Grünwerk Hochwald Isartor
Kranich Lindenhof Mainquell Neckarwerk Ostwind Perlach Quellberg Rotfels Seewind Talheim Uferlos Vierwege Wiesental
Zollhof Adlerstein Bergkamp Clarion Domtal Eisenhut Freitor Goldbach Heidekraut Innovis Jadewerk Kupferberg Lunaris
Meridor Novalux Optima Prismatik Reinwald Silberpfeil Terranova Valentum Werkraum Zentralis Altmark Blauwerk Cortexa
Dreiberg Ehrenfels Finkenau Glashütten Havelland Kieferwerk Lohmar Moorwind Oderbruch Pinnau Rabenstein Solvara Tannhof
Westhafen
""")

_TRADES = phrases("""
Logistik; Spedition; Bürobedarf; Maschinenbau; Anlagenbau; Elektrotechnik; Metallbau; Werkzeugbau; Kunststofftechnik
Verpackungen; Druck; Papier; Textil; Möbel; Holzbau; Bau; Hochbau; Tiefbau; Sanitär; Heizung; Klimatechnik; Energie
Solar; Umwelttechnik; Recycling; Chemie; Pharma; Medizintechnik; Labortechnik; Optik; Feinmechanik; Messtechnik
Automation; Robotik; Software; Systeme; Netzwerke; Datentechnik; Beratung; Consulting; Personal; Akademie; Reisen
Catering; Backwaren; Lebensmittel; Getränke; Feinkost; Agrar; Gartenbau; Sport; Spielwaren; Verlag; Medien; Design
Architekten; Ingenieure; Immobilien; Versicherungen; Beteiligungen; Handel; Großhandel; Import; Vertrieb; Service
Gebäudereinigung; Sicherheit
""")

LOCALE = Locale(
    code="de_DE",
    country="Germany",
    dial="+49",
    women=_WOMEN,
    men=_MEN,
    families=_FAMILIES,
    cities=_CITIES,
    street_names=_STREETS,
    street_types=words("straße straße straße weg weg allee gasse platz"),
    street_form="{name}{type} {n}",
    last_house=120,
    units=(),
    mobiles=("0171 39200##", "0176 040690##"),
    roots=_ROOTS,
    root_trades=_TRADES,
    family_trades=_TRADES,
    family_first=True,
    suffixes=phrases("GmbH; GmbH & Co. KG; AG; KG; UG; OHG; e.K."),
)
